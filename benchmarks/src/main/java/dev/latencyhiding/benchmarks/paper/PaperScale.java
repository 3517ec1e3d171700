package dev.latencyhiding.benchmarks.paper;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How large the programs are. The published leaves take milliseconds and the published latencies up to half a second;
 * here both are smaller, and a latency is the same multiple of a leaf's work as it was there.
 *
 * @param leaves leaves of the map and reduce
 * @param fib what each computes
 * @param sweepLeaves leaves of the parameter sweep
 * @param shortFib what a leaf computes in the sweep with short leaves
 * @param longFib what a leaf computes in the sweep with long leaves
 */
record PaperScale(int leaves, int fib, int sweepLeaves, int shortFib, int longFib) {
    /** Of the blocking scheduler, only one leaf in so many is run. */
    static final int CLASSIC_PART = 10;

    static final PaperScale FULL = new PaperScale(5000, 28, 610, 28, 31);
    static final PaperScale QUICK = new PaperScale(500, 24, 610, 24, 26);

    PaperScale {
        if (leaves < 1) {
            throw new IllegalArgumentException("at least one leaf, not " + leaves);
        }
    }

    PaperScale withLeaves(int count) {
        return new PaperScale(count, fib, sweepLeaves, shortFib, longFib);
    }

    /** A latency that is so many times the work of a leaf. */
    long latencyNanos(double leavesPerLatency) {
        return Math.round(leavesPerLatency * nanosOf(fib));
    }

    Map<String, Integer> sweepFibs() {
        final Map<String, Integer> fibs = new LinkedHashMap<>();
        fibs.put(Experiments.SHORT_LEAVES, shortFib);
        fibs.put(Experiments.LONG_LEAVES, longFib);
        return fibs;
    }

    /** How long this machine takes for a Fibonacci number: the median of some, after a warm-up; always the same value. */
    long nanosOf(int n) {
        return Calibration.TIMES.computeIfAbsent(n, Calibration::measure);
    }

    /** Measured once for each number, so that all rounds use the same latencies. */
    private static final class Calibration {
        static final Map<Integer, Long> TIMES = new ConcurrentHashMap<>();
        private static final int SAMPLES = 21;
        private static final int WARM_UP = 27;

        static long measure(int n) {
            long sink = 0;
            for (int i = 0; i < SAMPLES; i++) {
                sink += MapReduce.fibonacci(Math.min(n, WARM_UP));
            }
            final long[] nanos = new long[SAMPLES];
            for (int i = 0; i < SAMPLES; i++) {
                final long start = System.nanoTime();
                sink += MapReduce.fibonacci(n);
                nanos[i] = System.nanoTime() - start;
            }
            if (sink < 0) {
                throw new ArithmeticException("overflow of fibonacci(" + n + ")");
            }
            Arrays.sort(nanos);
            return nanos[SAMPLES / 2];
        }
    }
}
