package dev.latencyhiding.benchmarks.paper;

import dev.latencyhiding.LatencyHidingScheduler;
import dev.latencyhiding.Suspension;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The program of the literature: map a function over many leaves and add up the results, by divide and conquer. A leaf
 * may wait for its input, as if it were fetched from another machine, and computes a Fibonacci number the slow way.
 */
final class MapReduce {
    /**
     * What to run.
     *
     * @param leaves how many leaves
     * @param fib each computes this Fibonacci number
     * @param waiting the share of the leaves that wait, from 0 to 1
     * @param latencyNanos how long they wait
     * @param waitersCompute whether a leaf that waited computes afterwards
     */
    record Task(int leaves, int fib, double waiting, long latencyNanos, boolean waitersCompute) {
        /** Every leaf waits and then computes; none waits if the latency is 0. */
        static Task mapReduce(int leaves, int fib, long latencyNanos) {
            return new Task(leaves, fib, latencyNanos > 0 ? 1 : 0, latencyNanos, true);
        }

        /** A leaf either computes or waits as long as computing would take. */
        static Task sweep(int leaves, int fib, double waiting, long latencyNanos) {
            return new Task(leaves, fib, waiting, latencyNanos, false);
        }

        /** The leaves that wait are spread evenly over the tree: every time the sum of the shares passes a whole. */
        boolean waits(int leaf) {
            return Math.floor((leaf + 1) * waiting) > Math.floor(leaf * waiting);
        }

        private long expected() {
            final long each = fibonacci(fib);
            long sum = 0;
            for (int leaf = 0; leaf < leaves; leaf++) {
                sum += waits(leaf) && !waitersCompute ? 0 : each;
            }
            return sum;
        }
    }

    /** Where two branches meet: who comes last goes on with the sum. */
    private static final class Join {
        private final @Nullable Join parent;
        private final AtomicInteger missing;
        private final AtomicLong sum = new AtomicLong();

        Join(@Nullable Join parent, int branches) {
            this.parent = parent;
            missing = new AtomicInteger(branches);
        }
    }

    private final LatencyHidingScheduler scheduler;
    private final Task task;
    private final CompletableFuture<Long> result = new CompletableFuture<>();

    private MapReduce(LatencyHidingScheduler scheduler, Task task) {
        this.scheduler = scheduler;
        this.task = task;
    }

    /** Runs a task to its end, checks the result, and returns how many nanoseconds it took. */
    static long nanos(LatencyHidingScheduler scheduler, Task task) {
        final MapReduce program = new MapReduce(scheduler, task);
        final long start = System.nanoTime();
        scheduler.execute(() -> program.map(0, task.leaves(), new Join(null, 1)));
        final long sum = program.result.join();
        final long nanos = System.nanoTime() - start;
        if (sum != task.expected()) {
            throw new IllegalStateException(task + " gave " + sum + ", not " + task.expected());
        }
        return nanos;
    }

    static long fibonacci(int n) {
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    /** Spawns the upper half and goes on with the lower, down to a leaf. */
    private void map(int from, int to, Join join) {
        int end = to;
        Join innermost = join;
        while (end - from > 1) {
            final int middle = (from + end) >>> 1;
            final int upperEnd = end;
            final Join both = new Join(innermost, 2);
            scheduler.execute(() -> map(middle, upperEnd, both));
            innermost = both;
            end = middle;
        }
        leaf(from, innermost);
    }

    private void leaf(int leaf, Join join) {
        if (!task.waits(leaf)) {
            reduce(fibonacci(task.fib()), join);
            return;
        }
        final Suspension suspension = Suspension.open();
        scheduler.after(
                task.latencyNanos(),
                TimeUnit.NANOSECONDS,
                () -> suspension.resume(() -> reduce(task.waitersCompute() ? fibonacci(task.fib()) : 0, join)));
    }

    private void reduce(long value, Join join) {
        long sum = value;
        for (Join at = join; at != null; at = at.parent) {
            sum = at.sum.addAndGet(sum);
            if (at.missing.decrementAndGet() > 0) {
                return;
            }
            // The other branch has added its part before it counted down, so this is all of it.
            sum = at.sum.get();
        }
        result.complete(sum);
    }
}
