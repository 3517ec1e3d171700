package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.BarResult;
import dev.latencyhiding.benchmarks.BarResult.Verdict;
import dev.latencyhiding.benchmarks.Better;
import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.peers.Peers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The bars that the project set itself, checked against what was measured. */
final class Bars {
    /** Asks that a number of one of our measurements keeps a limit. */
    private record Bar(
            int number,
            String asked,
            Predicate<Measurement> applies,
            Function<Measurement, @Nullable Double> value,
            Better better,
            double limit) {}

    private static final List<Bar> ALL = List.of(
            bestDispatcher(1, Set.of("fib"), "time"),
            bestDispatcher(2, Set.of("launch"), "time"),
            bestDispatcher(3, Set.of("yield"), "time"),
            bestDispatcher(4, Set.of("channel", "actors"), "time"),
            bestDispatcher(5, Set.of("delay"), "time"),
            atMost(6, "≤ 1.03 × bound", of("mapreduce", "time"), Measurement::ratioToBound, 1.03),
            bestDispatcher(6, Set.of("mapreduce"), "time"),
            atMost(8, "≤ 1.10 × bound", of("sweep", "time"), Measurement::ratioToBound, 1.10),
            bestDispatcher(8, Set.of("sweep"), "time"),
            bestDispatcher(9, Set.of("quicksort"), "time"),
            atLeast(10, "≥ 98 % of the ticks", of("ticker", "ticks"), Measurement::value, 98),
            atMost(10, "lateness p99 ≤ 2 ms", of("ticker", "lateness p99"), Measurement::value, 2),
            atLeast(10, "load ≥ 0.97 × Default's", of("ticker", "load"), Measurement::ratioToDefault, 0.97),
            bestDispatcher(11, Set.of("external"), "time"),
            atLeast(12, "≥ 1.3 × Default", of("echo", "round trips"), Measurement::ratioToDefault, 1.3),
            bestDispatcher(13, Set.of("mixed"), "p99"),
            bestDispatcher(13, Set.of("mixed"), "p99.9"),
            atLeast(
                    13,
                    "throughput ≥ best dispatcher's",
                    of("mixed", "throughput at p99 ≤ 20 ms"),
                    Measurement::ratioToBestPeer,
                    1.0),
            atMost(14, "≤ Default + 64 bytes", of("memory", "heap"), Bars::bytesBeyondDefault, 64),
            atMost(15, "≤ 1.0 × Default", of("idle", "CPU"), Measurement::ratioToDefault, 1.0));

    /** Another policy of our scheduler, where there is one. */
    private static final String CLASSIC = Peers.OURS + "-CLASSIC";

    private static final Set<String> WITHOUT_LATENCY = Set.of("fib", "mapreduce (δ 0 ms)", "quicksort (δ 0 ms)");

    private Bars() {}

    static List<BarResult> check(List<Measurement> measurements) {
        List<BarResult> results = new ArrayList<>(priceOfHiding(measurements));
        for (Bar bar : ALL) {
            measurements.stream()
                    .filter(measurement -> measurement.dispatcher().equals(Peers.OURS) && bar.applies.test(measurement))
                    .map(measurement -> check(bar, measurement))
                    .forEach(results::add);
        }
        return results;
    }

    /** Bar 7: where nothing waits, being able to hide latency must cost nothing. */
    private static List<BarResult> priceOfHiding(List<Measurement> measurements) {
        List<BarResult> results = new ArrayList<>();
        for (Measurement ours : measurements) {
            if (ours.dispatcher().equals(Peers.OURS) && WITHOUT_LATENCY.contains(Labels.of(ours))) {
                measurements.stream()
                        .filter(other -> other.dispatcher().equals(CLASSIC)
                                && Labels.of(other).equals(Labels.of(ours))
                                && other.metric().equals(ours.metric()))
                        .map(classic -> check(
                                atMost(7, "≤ 1.01 × CLASSIC", any -> true, any -> ratio(ours, classic), 1.01), ours))
                        .forEach(results::add);
            }
        }
        return results;
    }

    private static double ratio(Measurement one, Measurement other) {
        return Statistics.ratio(samples(one), samples(other));
    }

    private static double[] samples(Measurement measurement) {
        return measurement.samples().stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static BarResult check(Bar bar, Measurement measurement) {
        Double value = bar.value.apply(measurement);
        return new BarResult(
                bar.number,
                bar.asked,
                Labels.of(measurement),
                verdict(bar, value, measurement.spread()),
                value == null ? Double.NaN : value,
                bar.limit);
    }

    private static Verdict verdict(Bar bar, @Nullable Double value, double spread) {
        if (value == null || value.isNaN()) {
            return Verdict.NOT_MEASURED;
        }
        if (!bar.better.isBetter(bar.limit, value)) {
            return Verdict.MET;
        }
        double benefitOfDoubt = bar.better == Better.LOWER ? value * (1 - spread) : value * (1 + spread);
        return bar.better.isBetter(bar.limit, benefitOfDoubt) ? Verdict.MISSED : Verdict.LEVEL;
    }

    private static @Nullable Double bytesBeyondDefault(Measurement memory) {
        Double ratio = memory.ratioToDefault();
        return ratio == null ? null : memory.value() - memory.value() / ratio;
    }

    private static Predicate<Measurement> of(String workload, String metric) {
        return measurement ->
                measurement.workload().equals(workload) && measurement.metric().equals(metric);
    }

    private static Bar bestDispatcher(int number, Set<String> workloads, String metric) {
        return atMost(
                number,
                "≤ 1.0 × best dispatcher",
                measurement -> workloads.contains(measurement.workload())
                        && measurement.metric().equals(metric),
                Measurement::ratioToBestPeer,
                1.0);
    }

    private static Bar atMost(
            int number,
            String asked,
            Predicate<Measurement> applies,
            Function<Measurement, @Nullable Double> value,
            double limit) {
        return new Bar(number, asked, applies, value, Better.LOWER, limit);
    }

    private static Bar atLeast(
            int number,
            String asked,
            Predicate<Measurement> applies,
            Function<Measurement, @Nullable Double> value,
            double limit) {
        return new Bar(number, asked, applies, value, Better.HIGHER, limit);
    }
}
