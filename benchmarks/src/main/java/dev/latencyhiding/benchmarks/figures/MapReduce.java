package dev.latencyhiding.benchmarks.figures;

import dev.latencyhiding.LatencyHidingScheduler;
import dev.latencyhiding.Suspension;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The program of Muller and Acar's evaluation: maps a function over many values, each of which must be
 * fetched from a place that takes some time to answer, and adds up the results. Forks and joins in a
 * binary tree; every fetch is a latency operation of one timer.
 */
final class MapReduce {
    /** What a leaf computes: a good tenth of a millisecond, on the machine of the figures. */
    private static final int FIB = 23;

    private final LatencyHidingScheduler scheduler;
    private final long waitMillis;

    private MapReduce(LatencyHidingScheduler scheduler, long waitMillis) {
        this.scheduler = scheduler;
        this.waitMillis = waitMillis;
    }

    /**
     * Runs it once.
     *
     * @param waitMillis how long a fetch takes; 0 for no fetch at all
     * @return the time in nanoseconds
     */
    static long run(LatencyHidingScheduler scheduler, int leaves, long waitMillis) {
        final CompletableFuture<Long> sum = new CompletableFuture<>();
        final MapReduce program = new MapReduce(scheduler, waitMillis);
        final long begun = System.nanoTime();
        scheduler.execute(() -> program.map(leaves, new Join(null, sum)));
        final long result = sum.join();
        final long took = System.nanoTime() - begun;
        if (result != (long) leaves * fib(FIB)) {
            throw new IllegalStateException("wrong sum: " + result);
        }
        return took;
    }

    /** The sum over so many leaves goes to the join. */
    private void map(int leaves, Join join) {
        if (leaves == 1) {
            fetch(join);
            return;
        }
        final Join both = new Join(join, null);
        scheduler.execute(() -> map(leaves - leaves / 2, both));
        map(leaves / 2, both);
    }

    private void fetch(Join join) {
        if (waitMillis == 0) {
            join.add(fib(FIB));
            return;
        }
        final Suspension suspension = Suspension.open(scheduler);
        scheduler.after(waitMillis, TimeUnit.MILLISECONDS, () -> suspension.resume(() -> join.add(fib(FIB))));
    }

    static long fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    /** Waits for two sums; the second one goes on. The root waits for one. */
    private static final class Join {
        private final Join parent;
        private final CompletableFuture<Long> root;
        private final AtomicReference<Long> first = new AtomicReference<>();

        Join(Join parent, CompletableFuture<Long> root) {
            this.parent = parent;
            this.root = root;
        }

        void add(long sum) {
            if (parent == null) {
                root.complete(sum);
            } else if (!first.compareAndSet(null, sum)) {
                parent.add(sum + first.get());
            }
        }
    }
}
