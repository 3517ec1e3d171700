package dev.latencyhiding;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What {@link LatencyHidingFuture#minimalCompletionStage()} returns: a stage and nothing else, as the JDK's, but
 * with the scheduler as its default executor. The JDK's would run its {@code …Async} stages on the common pool.
 */
final class MinimalStage<T extends @Nullable Object> extends CompletableFuture<T> {
    private final LatencyHidingScheduler scheduler;

    private MinimalStage(LatencyHidingScheduler scheduler) {
        this.scheduler = scheduler;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // a callback
    static <T extends @Nullable Object> MinimalStage<T> of(
            LatencyHidingScheduler scheduler, CompletionStage<T> source) {
        final MinimalStage<T> stage = new MinimalStage<>(scheduler);
        source.whenComplete(stage::end);
        return stage;
    }

    private void end(T value, @Nullable Throwable error) {
        if (error == null) {
            super.complete(value);
        } else {
            super.completeExceptionally(error instanceof CompletionException ? error : new CompletionException(error));
        }
    }

    @Override
    public Executor defaultExecutor() {
        return scheduler;
    }

    @Override
    public <U extends @Nullable Object> MinimalStage<U> newIncompleteFuture() {
        return new MinimalStage<>(scheduler);
    }

    @Override
    public CompletableFuture<T> toCompletableFuture() {
        final LatencyHidingFuture<T> future = LatencyHidingFuture.incomplete(scheduler);
        future.follow(this);
        return future;
    }

    private static UnsupportedOperationException refused() {
        return new UnsupportedOperationException("a stage only; toCompletableFuture() gives a future");
    }

    @Override
    public T get() {
        throw refused();
    }

    @Override
    public T get(long timeout, TimeUnit unit) {
        throw refused();
    }

    @Override
    public T getNow(T absent) {
        throw refused();
    }

    @Override
    public T join() {
        throw refused();
    }

    @Override
    public boolean complete(T value) {
        throw refused();
    }

    @Override
    public boolean completeExceptionally(Throwable error) {
        throw refused();
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        throw refused();
    }

    @Override
    public void obtrudeValue(T value) {
        throw refused();
    }

    @Override
    public void obtrudeException(Throwable error) {
        throw refused();
    }

    @Override
    public boolean isDone() {
        throw refused();
    }

    @Override
    public boolean isCancelled() {
        throw refused();
    }

    @Override
    public boolean isCompletedExceptionally() {
        throw refused();
    }

    @Override
    public int getNumberOfDependents() {
        throw refused();
    }

    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier) {
        throw refused();
    }

    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
        throw refused();
    }

    @Override
    public CompletableFuture<T> orTimeout(long timeout, TimeUnit unit) {
        throw refused();
    }

    @Override
    public CompletableFuture<T> completeOnTimeout(T value, long timeout, TimeUnit unit) {
        throw refused();
    }
}
