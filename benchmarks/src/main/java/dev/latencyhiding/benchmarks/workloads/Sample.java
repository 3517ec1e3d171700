package dev.latencyhiding.benchmarks.workloads;

import dev.latencyhiding.benchmarks.Better;

/**
 * One value of one round.
 *
 * @param metric what was measured
 * @param unit the unit of the value
 * @param better whether a lower or a higher value is better
 * @param value the value
 */
public record Sample(String metric, String unit, Better better, double value) {
    /** The metric of workloads that are simply timed. */
    public static final String TIME = "time";

    /**
     * A duration of the whole workload.
     *
     * @param nanos in nanoseconds
     * @return the sample, in milliseconds
     */
    public static Sample time(long nanos) {
        return new Sample(TIME, "ms", Better.LOWER, nanos / 1e6);
    }

    /**
     * Something of which less is better.
     *
     * @param metric what was measured
     * @param unit the unit of the value
     * @param value the value
     * @return the sample
     */
    public static Sample lower(String metric, String unit, double value) {
        return new Sample(metric, unit, Better.LOWER, value);
    }

    /**
     * Something of which more is better.
     *
     * @param metric what was measured
     * @param unit the unit of the value
     * @param value the value
     * @return the sample
     */
    public static Sample higher(String metric, String unit, double value) {
        return new Sample(metric, unit, Better.HIGHER, value);
    }
}
