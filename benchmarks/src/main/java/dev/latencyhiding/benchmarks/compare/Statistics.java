package dev.latencyhiding.benchmarks.compare;

import java.util.Arrays;

/** Robust statistics of few samples. NaN stands for a sample that is missing. */
public final class Statistics {
    private Statistics() {}

    /**
     * The middle value.
     *
     * @param samples the samples
     * @return their median; NaN if there are none
     */
    public static double median(double... samples) {
        return quantile(0.5, samples);
    }

    /**
     * Half the distance between the quartiles, as a part of the median.
     *
     * @param samples the samples
     * @return their spread
     */
    public static double spread(double... samples) {
        double median = median(samples);
        double halfRange = (quantile(0.75, samples) - quantile(0.25, samples)) / 2;
        return halfRange == 0 ? 0 : halfRange / Math.abs(median);
    }

    /**
     * The median of the ratios of samples of the same round. What slows a whole round down, slows both, and leaves
     * their ratio alone.
     */
    static double ratio(double[] samples, double[] units) {
        double[] ratios = new double[Math.min(samples.length, units.length)];
        for (int round = 0; round < ratios.length; round++) {
            ratios[round] = samples[round] / units[round];
        }
        return median(ratios);
    }

    /** By linear interpolation between the two nearest ranks; NaN if there are no samples. */
    static double quantile(double quantile, double... samples) {
        double[] sorted = Arrays.stream(samples)
                .filter(sample -> !Double.isNaN(sample))
                .sorted()
                .toArray();
        if (sorted.length == 0) {
            return Double.NaN;
        }
        double rank = quantile * (sorted.length - 1);
        int below = (int) Math.floor(rank);
        int above = (int) Math.ceil(rank);
        return sorted[below] + (rank - below) * (sorted[above] - sorted[below]);
    }
}
