package dev.latencyhiding.benchmarks.figures;

import java.util.Arrays;
import java.util.Locale;

/** Quantiles of times in nanoseconds, by nearest rank. */
final class Quantiles {
    private final long[] sorted;

    private Quantiles(long[] sorted) {
        this.sorted = sorted;
    }

    static Quantiles of(long[] nanos) {
        final long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return new Quantiles(sorted);
    }

    double millis(double quantile) {
        final int rank = (int) Math.ceil(quantile * sorted.length) - 1;
        return sorted[Math.max(0, rank)] / 1e6;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "p50 %8.3f   p99 %9.3f   max %9.3f ms", millis(0.5), millis(0.99), millis(1));
    }
}
