package dev.latencyhiding.benchmarks;

import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * One measured value: what a dispatcher reached in one metric of one case of a workload.
 *
 * @param workload the name of the workload, as in {@code --workloads}
 * @param parameters what distinguishes this case from the workload's others; empty if there is one case only
 * @param dispatcher the name of the dispatcher, as in {@code --dispatchers}
 * @param metric what was measured: {@code time}, {@code p99}, {@code ticks}, …
 * @param unit the unit of the value; empty for a plain number
 * @param better whether a lower or a higher value is better
 * @param value the median of the samples
 * @param spread half the distance between the quartiles of the samples, as a part of the median
 * @param samples one value of each round, in the order of the rounds; a round without a value is NaN
 * @param ratioToDefault the value in units of Dispatchers.Default's; null without Dispatchers.Default
 * @param ratioToBestPeer the value in units of the best other dispatcher's; null without another
 * @param ratioToBound the value in units of the bound that no scheduler can beat, measured in the same run; null
 *     where there is none
 */
public record Measurement(
        String workload,
        SortedMap<String, String> parameters,
        String dispatcher,
        String metric,
        String unit,
        Better better,
        double value,
        double spread,
        List<Double> samples,
        @Nullable Double ratioToDefault,
        @Nullable Double ratioToBestPeer,
        @Nullable Double ratioToBound) {}
