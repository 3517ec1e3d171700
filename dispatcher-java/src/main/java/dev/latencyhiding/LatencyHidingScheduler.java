package dev.latencyhiding;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A work-stealing scheduler for programs that both compute and wait. Waiting never holds a worker: a
 * node declares what it waits for with a {@link Suspension} and returns. Computing never holds up a
 * wake-up: a resumed node starts within about one node's length, also when every worker is busy.
 *
 * <pre>{@code
 * LatencyHidingScheduler scheduler = LatencyHidingScheduler.shared();
 * scheduler.execute(() -> {
 *     Suspension suspension = Suspension.open();
 *     httpClient.sendAsync(request, ofString())
 *             .thenAccept(response -> suspension.resume(() -> parse(response.body())));
 * });
 * }</pre>
 *
 * <p>A <em>node</em> is a {@code Runnable}, which runs on a worker from its start to its return. What
 * a node hands to {@link #execute} goes to the bottom of its worker's deque and runs last in, first
 * out, unless it is stolen; what other threads hand in waits in one queue, first in, first out. {@code
 * Worker} says in which order a worker takes them.
 *
 * <p>Nodes should not block their thread. If one does, in a lock or in {@code Future.get()}, a spare
 * worker takes its place within some tens of milliseconds. Exceptions of a node go to the uncaught
 * exception handler, and its worker goes on. Interrupts do not leak from one node to the next.
 *
 * <p>All methods may be called from any thread. Actions before handing in a node happen before the
 * node runs; so do actions before {@link Suspension#resume} and the node it resumes.
 */
public final class LatencyHidingScheduler extends AbstractExecutorService implements AutoCloseable {
    /** The system property that sets the parallelism of {@link #shared()}: {@value}. */
    public static final String PARALLELISM_PROPERTY = "dev.latencyhiding.parallelism";

    /** The system property that names {@link #shared()} and its threads: {@value}. */
    public static final String NAME_PROPERTY = "dev.latencyhiding.name";

    /** The largest parallelism a scheduler can be built with: {@value}. */
    public static final int MAX_PARALLELISM = 4096;

    private final SchedulerCore core;
    private final boolean closeable;

    LatencyHidingScheduler(SchedulerConfig config, boolean closeable) {
        this.core = new SchedulerCore(config);
        this.closeable = closeable;
        core.scheduler = this;
        core.start();
    }

    /**
     * The scheduler of this process: made on first use, with daemon threads and as many workers as
     * there are processors, or as {@value #PARALLELISM_PROPERTY} says. Its name, and so that of its threads,
     * is LatencyHiding, or what {@value #NAME_PROPERTY} says. It cannot be closed.
     *
     * @return always the same instance
     * @throws IllegalArgumentException on first use, if the parallelism is not a number from 1 to
     *     {@value #MAX_PARALLELISM} or the name is blank
     */
    public static LatencyHidingScheduler shared() {
        return SharedScheduler.get();
    }

    /**
     * The scheduler whose worker the current thread is; off a worker the {@linkplain #shared() shared} one.
     *
     * @return where a node that is handed in here belongs
     */
    public static LatencyHidingScheduler currentOrShared() {
        final Worker worker = Worker.current();
        final LatencyHidingScheduler current = worker == null ? null : worker.core.scheduler;
        return current != null ? current : shared();
    }

    /**
     * Makes schedulers of one's own.
     *
     * @return a builder with the default values
     */
    public static Builder builder() {
        return new Builder();
    }

    // ---- work ----

    /**
     * Runs a node: on a worker of this scheduler it is a spawn, and goes to the bottom of the worker's
     * deque; on any other thread it joins the queue of arrivals.
     *
     * @param node what to run
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is not one of its
     *     workers, or after {@link #shutdownNow()}
     */
    @Override
    public void execute(Runnable node) {
        core.execute(Objects.requireNonNull(node, "node"));
    }

    /**
     * Runs a node after others: on a worker of this scheduler it joins the end of a queue of nodes that yielded
     * there, which takes turns with the arrivals, node by node; on any other thread it is an arrival. A long
     * computation that hands in its next part this way lets all others run in between.
     *
     * @param node what to run
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is not one of its
     *     workers
     */
    public void executeFairly(Runnable node) {
        core.executeFairly(Objects.requireNonNull(node, "node"));
    }

    /**
     * Runs a node that was waiting and goes on now, though no {@link Suspension} tells so: as {@link
     * #execute} on a worker; on any other thread it is taken before all work that did not wait. For
     * adapters to other frameworks.
     *
     * @param node what to run
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is not one of its
     *     workers
     */
    public void executeResumed(Runnable node) {
        core.executeResumed(Objects.requireNonNull(node, "node"));
    }

    /**
     * Computes a value: a spawn on a worker of this scheduler, an arrival on any other thread.
     *
     * <pre>{@code
     * scheduler.supply(() -> compress(page)).thenAcceptAsync(this::send);
     * }</pre>
     *
     * @param supplier what to compute; not called if the future is done before it starts
     * @param <T> the type of the value
     * @return a future of the value; an exception of the supplier is its result, wrapped in a {@code
     *     CompletionException} as by {@code CompletableFuture.supplyAsync}
     * @throws RejectedExecutionException as {@link #execute}
     */
    public <T extends @Nullable Object> LatencyHidingFuture<T> supply(Supplier<T> supplier) {
        return call(Objects.requireNonNull(supplier, "supplier")::get);
    }

    /**
     * As {@link #supply}, for code that throws checked exceptions.
     *
     * @param body what to compute; not called if the future is done before it starts
     * @param <T> the type of the value
     * @return a future of the value
     * @throws RejectedExecutionException as {@link #execute}
     */
    public <T extends @Nullable Object> LatencyHidingFuture<T> call(Callable<T> body) {
        Objects.requireNonNull(body, "body");
        final LatencyHidingFuture<T> future = LatencyHidingFuture.incomplete(this);
        core.execute(new Computation<>(future, body));
        return future;
    }

    /**
     * Fork-join: runs both, perhaps in parallel, and returns when both are done. On a worker of this scheduler
     * the right side can be stolen while the calling thread runs the left one; nothing is allocated but the
     * entry for it. On any other thread both run on workers, and the caller waits.
     *
     * <pre>{@code
     * void sort(int[] array, int from, int to) {
     *     if (to - from < 1000) {
     *         Arrays.sort(array, from, to);
     *     } else {
     *         int middle = (from + to) >>> 1;
     *         scheduler.invoke(() -> sort(array, from, middle), () -> sort(array, middle, to));
     *         merge(array, from, middle, to);
     *     }
     * }
     * }</pre>
     *
     * <p>A worker that waits for a stolen right side helps with parts of it, and with nothing else: it runs no
     * node that could need a lock its caller holds. If it has nothing to help with, and for long, a spare
     * worker takes its place.
     *
     * <p>If one side throws, its exception is thrown when both are done; if both do, the left one's, with the
     * right one's as suppressed. After a {@code VirtualMachineError}, such as a stack overflow, or a {@code
     * CancellationException} on the left the right side is not begun, if it has not been.
     *
     * <p>Calls nest as deep as the stack allows. What is spawned by {@link #execute}, and what an operation
     * resumes that was declared by a {@link Suspension}, is not waited for; a suspension that one side opens
     * belongs to the node in which it runs, the caller's unless it is stolen, and suspends that node's deque
     * when it returns.
     *
     * @param left runs on the calling thread, if that is a worker
     * @param right runs on the same thread, or on a worker that has none of its own work
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is not one of its
     *     workers
     */
    public void invoke(Runnable left, Runnable right) {
        Objects.requireNonNull(left, "left");
        Objects.requireNonNull(right, "right");
        final Worker worker = Worker.current(core);
        if (worker != null) {
            Fork.invoke(worker, left, right);
        } else {
            ForkJoin.runOnWorker(this, () -> invoke(left, right));
        }
    }

    /**
     * As {@link #invoke}, for any number of nodes: splits them in two halves, again and again.
     *
     * @param nodes what to run
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is not one of its
     *     workers
     */
    public void invokeAll(Runnable... nodes) {
        ForkJoin.invokeAll(this, nodes);
    }

    /** {@inheritDoc} On a worker of this scheduler by fork-join, as {@link #invokeAll(Runnable...)}. */
    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks) throws InterruptedException {
        if (Worker.current(core) == null) {
            return super.invokeAll(tasks);
        }
        return ForkJoin.invokeAll(this, tasks);
    }

    /**
     * A future that is done after some time, by the scheduler's timer. It is a latency-incurring operation:
     * its first {@code …Async} stage comes back to the deque of the node that called this. Completing or
     * cancelling it withdraws the timer.
     *
     * <pre>{@code
     * scheduler.delay(100, MILLISECONDS).thenRunAsync(this::retry);
     * }</pre>
     *
     * @param time not before so much time; none if negative
     * @param unit of the time
     * @return a future of null; it fails with {@code RejectedExecutionException} if the scheduler terminates
     *     before, which it does after {@link #shutdownNow()} only
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is not one of its
     *     workers
     */
    public LatencyHidingFuture<@Nullable Void> delay(long time, TimeUnit unit) {
        Objects.requireNonNull(unit, "unit");
        final LatencyHidingFuture<@Nullable Void> future = LatencyHidingFuture.open(this);
        future.completeAfter(unit.toNanos(time));
        return future;
    }

    /**
     * For long computations: whether the calling node should return soon, and go on later by {@link
     * #executeFairly}. True if a resumed node waits for a worker, or if the node has computed for more
     * than a millisecond and other nodes wait. Cheap when nobody waits.
     *
     * @return false if nobody waits, and always false off a worker
     */
    public static boolean othersWait() {
        final Worker worker = Worker.current();
        return worker != null && worker.othersWait();
    }

    /**
     * Runs an action after some time: a short one, such as resuming a suspension, since other timers wait
     * for it. It runs on the scheduler's timer thread; or, if the system has not found a processor for that
     * in time, on a worker's thread between two nodes, where it is treated as any thread that is no worker.
     * Setting and cancelling take constant time.
     *
     * <pre>{@code
     * Suspension suspension = Suspension.open();
     * scheduler.after(100, TimeUnit.MILLISECONDS, () -> suspension.resume(this::next));
     * }</pre>
     *
     * @param delay not before so much time; none if negative
     * @param unit of the delay
     * @param action what to run; if the scheduler terminates first, it is run then
     * @return a handle to cancel it
     * @throws RejectedExecutionException if the scheduler has terminated
     */
    public Timeout after(long delay, TimeUnit unit, Runnable action) {
        final Timeout timeout = new Timeout.OfAction(Objects.requireNonNull(action, "action"));
        after(delay, unit, timeout);
        return timeout;
    }

    /**
     * Starts a timeout of the caller's own making, as {@link #after(long, TimeUnit, Runnable)} does.
     *
     * @param delay not before so much time; none if negative
     * @param unit of the delay
     * @param timeout what fires; can be started once
     * @throws RejectedExecutionException if the scheduler has terminated
     */
    public void after(long delay, TimeUnit unit, Timeout timeout) {
        Objects.requireNonNull(timeout, "timeout");
        core.start(timeout, Objects.requireNonNull(unit, "unit").toNanos(delay));
    }

    /**
     * A view for code that was written for a pool of the JDK: change the line that makes the pool, and nothing
     * else. It runs its tasks on this scheduler and its timer, and has a life cycle of its own: shutting it
     * down leaves the scheduler as it is, also if that is {@link #shared()}.
     *
     * <pre>{@code
     * ScheduledExecutorService pool = LatencyHidingScheduler.shared().asExecutorService();
     * pool.scheduleAtFixedRate(this::report, 1, 1, TimeUnit.MINUTES);
     * pool.submit(this::work).get();
     * pool.shutdown();
     * }</pre>
     *
     * <p>It behaves as a {@code ScheduledThreadPoolExecutor}: after {@code shutdown} delayed tasks still run
     * and periodic ones are cancelled; {@code shutdownNow} interrupts what runs and hands back what waits,
     * in contrast to that of the scheduler; {@code cancel(true)} of a future interrupts its task. Exceptions
     * of a task that was handed in by {@code execute} go to the uncaught exception handler. A cancelled task
     * does not occupy the timer. Tasks are taken in the order of {@link #execute}: on a worker last in, first
     * out. When the scheduler terminates its views cancel the tasks that are delayed.
     *
     * @return a new view; any number can be made
     */
    public ScheduledExecutorService asExecutorService() {
        return new ExecutorView(this);
    }

    // ---- life cycle ----

    /**
     * Accepts no new work from outside. What was accepted is finished: nodes that are queued, those they
     * spawn, and those that will be resumed by an open {@link Suspension}. Then the threads end. Has no
     * effect if called again.
     *
     * @throws UnsupportedOperationException on {@link #shared()}
     */
    @Override
    public void shutdown() {
        requireCloseable();
        core.lifeCycle.shutdown();
    }

    /**
     * As {@link #shutdownAbandoningSuspensions()}, and interrupts the nodes that are running. Nodes that are
     * queued are run nevertheless: a node may be one step of a computation that others wait for.
     *
     * @return an empty list, since every accepted node is run
     * @throws UnsupportedOperationException on {@link #shared()}
     */
    @Override
    public List<Runnable> shutdownNow() {
        requireCloseable();
        core.shutdownNow();
        return List.of();
    }

    /**
     * As {@link #shutdown()}, but only what is queued is run. Nothing new is accepted, from workers neither,
     * and open suspensions are not waited for: a {@link Suspension} that is resumed later throws {@code
     * RejectedExecutionException}, and timers that are still set run at once in the end.
     *
     * @throws UnsupportedOperationException on {@link #shared()}
     */
    public void shutdownAbandoningSuspensions() {
        requireCloseable();
        core.shutdownAbandoningSuspensions();
    }

    @Override
    public boolean isShutdown() {
        return core.lifeCycle.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return core.allThreadsEnded();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return core.awaitTermination(timeout, Objects.requireNonNull(unit, "unit"));
    }

    /**
     * {@linkplain #shutdown() Shuts down} and waits until all accepted work is finished. On a worker of
     * this scheduler it does not wait, since the calling node would wait for itself. If the thread is
     * interrupted while it waits, {@link #shutdownNow()} is called, the wait goes on, and the thread is
     * interrupted again in the end.
     *
     * @throws UnsupportedOperationException on {@link #shared()}
     */
    @Override
    public void close() {
        shutdown();
        if (Worker.current(core) != null) {
            return;
        }
        boolean interrupted = false;
        boolean terminated = false;
        while (!terminated) {
            try {
                terminated = awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
                shutdownNow();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void requireCloseable() {
        if (!closeable) {
            throw new UnsupportedOperationException("LatencyHidingScheduler.shared() cannot be closed");
        }
    }

    // ---- seeing it ----

    /**
     * What the scheduler did and how it stands. Cheap: the counters are always on.
     *
     * @return a snapshot
     */
    public SchedulerStats stats() {
        return new SchedulerStats(core);
    }

    /**
     * The name its threads carry.
     *
     * @return the name
     */
    public String name() {
        return core.name();
    }

    /**
     * The number of workers it was built with.
     *
     * @return P
     */
    public int parallelism() {
        return core.parallelism();
    }

    @Override
    public String toString() {
        return "LatencyHidingScheduler " + core;
    }

    SchedulerCore core() {
        return core;
    }

    /**
     * Makes schedulers. Every value has a default: as many workers as there are processors, a name with
     * a running number, daemon threads, {@link Policy#PROWS_R}.
     *
     * <pre>{@code
     * try (var scheduler = LatencyHidingScheduler.builder().name("crawler").parallelism(4).build()) {
     *     urls.forEach(url -> scheduler.execute(() -> fetch(url)));
     * } // waits until all is done
     * }</pre>
     */
    public static final class Builder {
        private static final AtomicInteger UNNAMED = new AtomicInteger();

        private @Nullable String name;
        private int parallelism = Math.max(1, Runtime.getRuntime().availableProcessors());
        private Policy policy = Policy.PROWS_R;
        private int maxSpareWorkers = 256;
        private boolean daemon = true;
        private Thread.@Nullable UncaughtExceptionHandler handler;
        private long seed = ThreadLocalRandom.current().nextLong();
        private Supplier<Gate> gates = Gate.OfThread::new;

        private Builder() {}

        /**
         * The number of workers.
         *
         * @param parallelism from 1 to {@value LatencyHidingScheduler#MAX_PARALLELISM}
         * @return this builder
         */
        public Builder parallelism(int parallelism) {
            require(
                    parallelism >= 1 && parallelism <= MAX_PARALLELISM,
                    "parallelism must be from 1 to " + MAX_PARALLELISM + ": " + parallelism);
            this.parallelism = parallelism;
            return this;
        }

        /**
         * The name; threads are called NAME-worker-1 and so on.
         *
         * @param name not blank
         * @return this builder
         */
        public Builder name(String name) {
            require(name != null, "name must not be null");
            require(!name.isBlank(), "name must not be blank: \"" + name + "\"");
            this.name = name;
            return this;
        }

        /**
         * The scheduling algorithm.
         *
         * @param policy one of {@link Policy}; {@link Policy#PROWS_R} by default
         * @return this builder
         */
        public Builder policy(Policy policy) {
            require(policy != null, "policy must not be null");
            this.policy = policy;
            return this;
        }

        /**
         * How many spare workers may stand in for blocked ones at a time.
         *
         * @param maxSpareWorkers from 0 to {@value LatencyHidingScheduler#MAX_PARALLELISM}; 256 by default
         * @return this builder
         */
        public Builder maxSpareWorkers(int maxSpareWorkers) {
            require(
                    maxSpareWorkers >= 0 && maxSpareWorkers <= MAX_PARALLELISM,
                    "maxSpareWorkers must be from 0 to " + MAX_PARALLELISM + ": " + maxSpareWorkers);
            this.maxSpareWorkers = maxSpareWorkers;
            return this;
        }

        /**
         * Whether the JVM may exit while the scheduler is open. True by default.
         *
         * @param daemon false to keep the JVM alive until the scheduler is closed
         * @return this builder
         */
        public Builder daemon(boolean daemon) {
            this.daemon = daemon;
            return this;
        }

        /**
         * What is told of the exceptions that nodes throw. By default the JVM's handler.
         *
         * @param handler called on the worker that ran the node
         * @return this builder
         */
        public Builder uncaughtExceptionHandler(Thread.UncaughtExceptionHandler handler) {
            require(handler != null, "uncaughtExceptionHandler must not be null");
            this.handler = handler;
            return this;
        }

        /** Makes the choice of victims repeatable, for tests. */
        Builder seed(long seed) {
            this.seed = seed;
            return this;
        }

        /** Where the workers sleep, for tests. */
        Builder gates(Supplier<Gate> gates) {
            this.gates = gates;
            return this;
        }

        /**
         * Makes the scheduler and starts its threads.
         *
         * @return a new scheduler
         */
        public LatencyHidingScheduler build() {
            return new LatencyHidingScheduler(config(), true);
        }

        SchedulerConfig config() {
            final String name = this.name != null ? this.name : "LatencyHiding-" + UNNAMED.incrementAndGet();
            return new SchedulerConfig(name, parallelism, policy, maxSpareWorkers, daemon, handler, seed, gates);
        }

        private static void require(boolean valid, String message) {
            if (!valid) {
                throw new IllegalArgumentException(message);
            }
        }
    }
}
