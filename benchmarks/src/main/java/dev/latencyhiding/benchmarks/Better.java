package dev.latencyhiding.benchmarks;

/** Which way of two values is the better one. */
public enum Better {
    /** Times, bytes, CPU. */
    LOWER,
    /** Throughput, ticks. */
    HIGHER;

    /**
     * Compares two values.
     *
     * @param one a value
     * @param other another of the same metric
     * @return whether {@code one} is better
     */
    public boolean isBetter(double one, double other) {
        return this == LOWER ? one < other : one > other;
    }
}
