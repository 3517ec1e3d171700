package dev.latencyhiding.benchmarks.figures;

import dev.latencyhiding.LatencyHidingScheduler;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.RecursiveTask;

/**
 * What a fork costs: Fibonacci numbers by recursion, {@code LatencyHidingScheduler.invoke} against {@code
 * ForkJoinPool}, in one run, interleaved. With a cut-off the leaves take about a microsecond, as in a
 * program that was written with care; without, there is nothing but forks. It may claim the cost of
 * fork-join for computing; nothing waits here.
 */
public final class ForkJoinFigure {
    private ForkJoinFigure() {}

    /** Medians over all rounds, in nanoseconds. */
    record Result(double latencyHiding, double recursiveTask, double recursiveAction) {
        double ratio() {
            return latencyHiding / recursiveTask;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "LatencyHiding %8.2f ms   RecursiveTask %8.2f ms   RecursiveAction %8.2f ms   × %.2f   × %.2f",
                    latencyHiding / 1e6,
                    recursiveTask / 1e6,
                    recursiveAction / 1e6,
                    ratio(),
                    latencyHiding / recursiveAction);
        }
    }

    /**
     * Prints the figure. The ratios are those to the two forms on {@code ForkJoinPool}.
     *
     * @param args the parallelism, by default the number of processors; the number of rounds, by default 15
     */
    public static void main(String[] args) {
        final int parallelism = args.length > 0
                ? Integer.parseInt(args[0])
                : Runtime.getRuntime().availableProcessors();
        final int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 15;
        System.out.printf("JDK %s, parallelism %d, %d rounds%n", Runtime.version(), parallelism, rounds);
        System.out.println("fib(35), cut-off 12   " + measure(35, 12, parallelism, rounds));
        System.out.println("fib(27), no cut-off   " + measure(27, 1, parallelism, rounds));
    }

    /** Runs all three in turn, so many times after so many to warm up. */
    static Result measure(int n, int cutOff, int parallelism, int rounds) {
        final long[] ours = new long[rounds];
        final long[] tasks = new long[rounds];
        final long[] actions = new long[rounds];
        final ForkJoinPool pool = new ForkJoinPool(parallelism);
        try (LatencyHidingScheduler scheduler =
                LatencyHidingScheduler.builder().parallelism(parallelism).build()) {
            final long expected = fib(n);
            for (int round = -rounds; round < rounds; round++) {
                final int index = Math.max(0, round);
                long begun = System.nanoTime();
                final OnScheduler node = new OnScheduler(scheduler, n, cutOff);
                scheduler
                        .supply(() -> {
                            node.run();
                            return node.result;
                        })
                        .join();
                ours[index] = System.nanoTime() - begun;
                require(expected == node.result);

                begun = System.nanoTime();
                final long result = pool.invoke(new Task(n, cutOff));
                tasks[index] = System.nanoTime() - begun;
                require(expected == result);

                begun = System.nanoTime();
                final Action action = new Action(n, cutOff);
                pool.invoke(action);
                actions[index] = System.nanoTime() - begun;
                require(expected == action.result);
            }
        } finally {
            pool.shutdown();
        }
        return new Result(median(ours), median(tasks), median(actions));
    }

    private static void require(boolean right) {
        if (!right) {
            throw new IllegalStateException("a wrong result");
        }
    }

    private static double median(long[] nanos) {
        final long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    static long fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    private static final class OnScheduler implements Runnable {
        private final LatencyHidingScheduler scheduler;
        private final int n;
        private final int cutOff;
        private long result;

        OnScheduler(LatencyHidingScheduler scheduler, int n, int cutOff) {
            this.scheduler = scheduler;
            this.n = n;
            this.cutOff = cutOff;
        }

        @Override
        public void run() {
            if (n <= cutOff) {
                result = fib(n);
                return;
            }
            final OnScheduler left = new OnScheduler(scheduler, n - 1, cutOff);
            final OnScheduler right = new OnScheduler(scheduler, n - 2, cutOff);
            scheduler.invoke(left, right);
            result = left.result + right.result;
        }
    }

    private static final class Task extends RecursiveTask<Long> {
        private static final long serialVersionUID = 1;

        private final int n;
        private final int cutOff;

        Task(int n, int cutOff) {
            this.n = n;
            this.cutOff = cutOff;
        }

        @Override
        protected Long compute() {
            if (n <= cutOff) {
                return fib(n);
            }
            final Task left = new Task(n - 1, cutOff);
            final Task right = new Task(n - 2, cutOff);
            right.fork();
            return left.compute() + right.join();
        }
    }

    private static final class Action extends RecursiveAction {
        private static final long serialVersionUID = 1;

        private final int n;
        private final int cutOff;
        private long result;

        Action(int n, int cutOff) {
            this.n = n;
            this.cutOff = cutOff;
        }

        @Override
        protected void compute() {
            if (n <= cutOff) {
                result = fib(n);
                return;
            }
            final Action left = new Action(n - 1, cutOff);
            final Action right = new Action(n - 2, cutOff);
            invokeAll(left, right);
            result = left.result + right.result;
        }
    }
}
