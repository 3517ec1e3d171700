package dev.latencyhiding;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A {@code CompletableFuture} whose {@code …Async} stages run on a {@link LatencyHidingScheduler}, and so
 * do those of all futures derived from it. Its timeouts are those of the scheduler's timer, and are
 * withdrawn when the future is done.
 *
 * <pre>{@code
 * LatencyHidingFuture.touch(httpClient.sendAsync(request, ofString()))
 *         .orTimeout(2, SECONDS)
 *         .thenApplyAsync(response -> parse(response.body()))   // on the deque that sent the request
 *         .thenAccept(this::store);
 * }</pre>
 *
 * <p>A future that stands for a latency-incurring operation has a <em>place</em>: a {@link Suspension}
 * opened where the operation was started, by {@link #open()}, {@link #touch} or {@link #delay}. Whoever
 * completes the future, be it an I/O thread, the timer or any other, the first {@code …Async} stage that
 * goes on thereby comes back to that place, ahead of computing work. If there is none the place is given
 * up: a deque does not wait for a stage that went elsewhere. So start operations where their results are
 * used, and complete every future.
 *
 * <p>Stages without {@code Async} run on the thread that completes the future, as with every {@code
 * CompletableFuture}. If that is the timer or an I/O thread, others wait for it: keep them short.
 *
 * <p>{@code get} and {@code join} block their thread. On a worker a spare one takes its place meanwhile.
 *
 * @param <T> the type of the result
 */
public final class LatencyHidingFuture<T extends @Nullable Object> extends CompletableFuture<T> {
    private final LatencyHidingScheduler scheduler;

    /** Where the operation was started; null if there is none, or when it is over. */
    private volatile @Nullable Suspension place;

    LatencyHidingFuture(LatencyHidingScheduler scheduler, @Nullable Suspension place) {
        this.scheduler = scheduler;
        this.place = place;
    }

    // ---- making one ----

    /**
     * A future for an operation that the caller is about to start: with its place in the running node, on
     * the worker's scheduler; off a worker on the {@linkplain LatencyHidingScheduler#shared() shared} one.
     *
     * <pre>{@code
     * LatencyHidingFuture<Integer> read(AsynchronousByteChannel channel, ByteBuffer buffer) {
     *     LatencyHidingFuture<Integer> future = LatencyHidingFuture.open();
     *     channel.read(buffer, future, new CompletionHandler<>() {
     *         public void completed(Integer count, LatencyHidingFuture<Integer> f) { f.complete(count); }
     *         public void failed(Throwable error, LatencyHidingFuture<Integer> f) { f.completeExceptionally(error); }
     *     });
     *     return future;
     * }
     * }</pre>
     *
     * <p>When the node returns and the future is not done, its worker gives its deque away. The future must
     * be completed in the end, also if the operation cannot be started; {@link
     * LatencyHidingScheduler#close()} waits for it.
     *
     * @param <T> the type of the result
     * @return a future that is not done
     */
    public static <T extends @Nullable Object> LatencyHidingFuture<T> open() {
        return open(LatencyHidingScheduler.currentOrShared());
    }

    /**
     * As {@link #open()}, on the given scheduler: with its place in the running node, if the calling thread
     * is one of the scheduler's workers.
     *
     * @param scheduler where the stages run
     * @param <T> the type of the result
     * @return a future that is not done
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is not one of its
     *     workers
     */
    public static <T extends @Nullable Object> LatencyHidingFuture<T> open(LatencyHidingScheduler scheduler) {
        return new LatencyHidingFuture<>(scheduler, Suspension.open(scheduler));
    }

    /**
     * A future without a place, for a result that is computed rather than waited for. Its stages run where
     * it is completed.
     *
     * @param scheduler where the stages run
     * @param <T> the type of the result
     * @return a future that is not done
     */
    public static <T extends @Nullable Object> LatencyHidingFuture<T> incomplete(LatencyHidingScheduler scheduler) {
        return new LatencyHidingFuture<>(Objects.requireNonNull(scheduler, "scheduler"), null);
    }

    /**
     * Waits for an operation of another library. The result is that of the stage, with a place in the
     * running node, as {@link #open()} says. Cancelling it cancels the stage's future.
     *
     * @param stage an operation that was started
     * @param <T> the type of the result
     * @return a future that is done when the stage is
     */
    @SuppressWarnings("FutureReturnValueIgnored") // a callback
    public static <T extends @Nullable Object> LatencyHidingFuture<T> touch(CompletionStage<T> stage) {
        final CompletableFuture<T> source = stage.toCompletableFuture();
        final LatencyHidingScheduler scheduler = LatencyHidingScheduler.currentOrShared();
        final LatencyHidingFuture<T> future = source.isDone() ? incomplete(scheduler) : open(scheduler);
        future.follow(source);
        future.whenComplete((value, error) -> {
            if (future.isCancelled()) {
                source.cancel(false);
            }
        });
        return future;
    }

    /**
     * A future that is done after some time; see {@link LatencyHidingScheduler#delay}. On the worker's
     * scheduler, off a worker on the {@linkplain LatencyHidingScheduler#shared() shared} one.
     *
     * @param time not before so much time; none if negative
     * @param unit of the time
     * @return a future of null
     */
    public static LatencyHidingFuture<@Nullable Void> delay(long time, TimeUnit unit) {
        return LatencyHidingScheduler.currentOrShared().delay(time, unit);
    }

    /**
     * As {@link CompletableFuture#supplyAsync(Supplier)}, on the worker's scheduler, off a worker on the
     * {@linkplain LatencyHidingScheduler#shared() shared} one.
     *
     * @param supplier what to compute
     * @param <U> the type of the result
     * @return a future of the result
     */
    public static <U extends @Nullable Object> LatencyHidingFuture<U> supplyAsync(Supplier<U> supplier) {
        return LatencyHidingScheduler.currentOrShared().supply(supplier);
    }

    /**
     * As {@link CompletableFuture#runAsync(Runnable)}, on the worker's scheduler, off a worker on the
     * {@linkplain LatencyHidingScheduler#shared() shared} one.
     *
     * @param node what to run
     * @return a future of null
     */
    public static LatencyHidingFuture<Void> runAsync(Runnable node) {
        return LatencyHidingScheduler.currentOrShared().call(asCallable(node));
    }

    private static Callable<Void> asCallable(Runnable node) {
        Objects.requireNonNull(node, "node");
        return Executors.callable(node, null);
    }

    /**
     * As {@link CompletableFuture#completedFuture}.
     *
     * @param value the result
     * @param <U> the type of the result
     * @return a future that is done
     */
    public static <U extends @Nullable Object> LatencyHidingFuture<U> completedFuture(U value) {
        final LatencyHidingFuture<U> future = incomplete(LatencyHidingScheduler.currentOrShared());
        future.complete(value);
        return future;
    }

    /**
     * As {@link CompletableFuture#failedFuture}.
     *
     * @param error why there is no result
     * @param <U> the type of the result
     * @return a future that is done
     */
    public static <U extends @Nullable Object> LatencyHidingFuture<U> failedFuture(Throwable error) {
        final LatencyHidingFuture<U> future = incomplete(LatencyHidingScheduler.currentOrShared());
        future.completeExceptionally(error);
        return future;
    }

    /**
     * As {@link CompletableFuture#allOf}. Its first {@code …Async} stage goes on at the place of the
     * operation that is done last.
     *
     * @param futures of any kind
     * @return a future of null, done when all are
     */
    public static LatencyHidingFuture<Void> allOf(CompletableFuture<?>... futures) {
        final LatencyHidingFuture<Void> all = incomplete(LatencyHidingScheduler.currentOrShared());
        all.follow(CompletableFuture.allOf(futures));
        return all;
    }

    /**
     * As {@link CompletableFuture#anyOf}. Its first {@code …Async} stage goes on at the place of the
     * operation that is done first.
     *
     * @param futures of any kind
     * @return a future that is done when one of them is
     */
    public static LatencyHidingFuture<Object> anyOf(CompletableFuture<?>... futures) {
        final LatencyHidingFuture<Object> any = incomplete(LatencyHidingScheduler.currentOrShared());
        any.follow(CompletableFuture.anyOf(futures));
        return any;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // a callback
    void follow(CompletionStage<? extends T> source) {
        source.whenComplete((value, error) -> {
            if (error == null) {
                complete(value);
            } else {
                completeExceptionally(error);
            }
        });
    }

    // ---- what makes it one ----

    /**
     * The scheduler it belongs to.
     *
     * @return where its {@code …Async} stages run, and those of the futures derived from it
     */
    @Override
    public Executor defaultExecutor() {
        return scheduler;
    }

    @Override
    public <U extends @Nullable Object> LatencyHidingFuture<U> newIncompleteFuture() {
        return new LatencyHidingFuture<>(scheduler, null);
    }

    @Override
    public CompletionStage<T> minimalCompletionStage() {
        return MinimalStage.of(scheduler, this);
    }

    // ---- completing ----

    @Override
    public boolean complete(@Nullable T value) {
        return atPlace(() -> super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable error) {
        Objects.requireNonNull(error, "error");
        return atPlace(() -> super.completeExceptionally(error));
    }

    /** {@inheritDoc} The operation itself goes on, unless whoever started it looks at the future. */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return atPlace(() -> super.cancel(mayInterruptIfRunning));
    }

    @Override
    public void obtrudeValue(T value) {
        atPlace(() -> {
            super.obtrudeValue(value);
            return true;
        });
    }

    @Override
    public void obtrudeException(Throwable error) {
        Objects.requireNonNull(error, "error");
        atPlace(() -> {
            super.obtrudeException(error);
            return true;
        });
    }

    @Override
    public LatencyHidingFuture<T> completeAsync(Supplier<? extends T> supplier) {
        return completeAsync(supplier, scheduler);
    }

    @Override
    public LatencyHidingFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
        Objects.requireNonNull(supplier, "supplier");
        executor.execute(new Computation<>(this, supplier::get));
        return this;
    }

    /** The first stage that is handed to the scheduler meanwhile comes back to the place, if there is one. */
    private boolean atPlace(BooleanSupplier completion) {
        final Suspension place = this.place;
        if (place == null || isDone()) {
            return completion.getAsBoolean();
        }
        try {
            return place.carryDuring(completion);
        } finally {
            this.place = null;
        }
    }

    // ---- waiting ----

    @Override
    public T join() {
        final Watchdog watchdog = Blocking.begin(this);
        try {
            return super.join();
        } finally {
            Blocking.end(watchdog);
        }
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        final Watchdog watchdog = Blocking.begin(this);
        try {
            return super.get();
        } finally {
            Blocking.end(watchdog);
        }
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        final Watchdog watchdog = Blocking.begin(this);
        try {
            return super.get(timeout, unit);
        } finally {
            Blocking.end(watchdog);
        }
    }

    // ---- timeouts ----

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // it is this
    public LatencyHidingFuture<T> orTimeout(long timeout, TimeUnit unit) {
        new FutureTimeout(scheduler, unit.toNanos(timeout)) {
            @Override
            void expire() {
                completeExceptionally(new TimeoutException());
            }

            @Override
            void goOnWithoutScheduler(long nanosLeft) {
                LatencyHidingFuture.super.orTimeout(nanosLeft, TimeUnit.NANOSECONDS);
            }
        }.startFor(this);
        return this;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // it is this
    public LatencyHidingFuture<T> completeOnTimeout(T value, long timeout, TimeUnit unit) {
        new FutureTimeout(scheduler, unit.toNanos(timeout)) {
            @Override
            void expire() {
                complete(value);
            }

            @Override
            void goOnWithoutScheduler(long nanosLeft) {
                LatencyHidingFuture.super.completeOnTimeout(value, nanosLeft, TimeUnit.NANOSECONDS);
            }
        }.startFor(this);
        return this;
    }

    /** The timer's entry of a delay. */
    void completeAfter(long nanos) {
        new FutureTimeout(scheduler, nanos) {
            @Override
            void expire() {
                complete(null);
            }

            @Override
            void goOnWithoutScheduler(long nanosLeft) {
                completeExceptionally(new RejectedExecutionException(
                        "scheduler \"" + scheduler.name() + "\" has terminated before the delay was over"));
            }
        }.startFor(this);
    }
}
