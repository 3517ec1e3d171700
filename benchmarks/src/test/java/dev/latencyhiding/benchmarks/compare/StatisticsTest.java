package dev.latencyhiding.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class StatisticsTest {
    private static final double EXACT = 1e-12;

    @Test
    void median_oddAndEven() {
        assertEquals(2, Statistics.median(3, 1, 2), EXACT);
        assertEquals(2.5, Statistics.median(4, 1, 2, 3), EXACT);
    }

    @Test
    void median_missingSamples_areLeftOut() {
        assertEquals(3, Statistics.median(Double.NaN, 2, 4), EXACT);
        assertEquals(Double.NaN, Statistics.median(Double.NaN));
        assertEquals(Double.NaN, Statistics.median());
    }

    @Test
    void quantile_interpolates() {
        assertEquals(1, Statistics.quantile(0, 1, 2, 3, 5), EXACT);
        assertEquals(1.75, Statistics.quantile(0.25, 1, 2, 3, 5), EXACT);
        assertEquals(5, Statistics.quantile(1, 1, 2, 3, 5), EXACT);
    }

    @Test
    void spread_isRelativeToTheMedian() {
        assertEquals(0.25, Statistics.spread(10, 20, 30, 15, 25), EXACT);
        assertEquals(0, Statistics.spread(7, 7, 7), EXACT);
        assertEquals(0, Statistics.spread(0, 0, 0), EXACT);
    }

    @Test
    void spread_oneOutlier_hardlyCounts() {
        assertEquals(0.05, Statistics.spread(10, 10, 11, 9, 1000), 0.01);
    }

    /** A round in which the machine is ten times slower changes the medians, but not the ratio. */
    @Test
    void ratio_isTakenRoundByRound() {
        assertEquals(2, Statistics.ratio(new double[] {20, 200, 22}, new double[] {10, 100, 11}), EXACT);
    }

    @Test
    void ratio_roundWithoutOneOfThem_isLeftOut() {
        assertEquals(3, Statistics.ratio(new double[] {Double.NaN, 9, 100}, new double[] {1, 3, Double.NaN}), EXACT);
    }
}
