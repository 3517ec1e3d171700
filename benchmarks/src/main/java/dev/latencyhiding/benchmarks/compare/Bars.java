package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.BarResult;
import dev.latencyhiding.benchmarks.BarResult.Verdict;
import dev.latencyhiding.benchmarks.Better;
import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.peers.Peers;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The bars that the project set itself, checked against what was measured. */
final class Bars {
    private interface Reading {
        @Nullable Double of(Measurement ours, List<Measurement> all);
    }

    /**
     * What is compared with the limit.
     *
     * @param reading a number of one of our measurements, seen beside all others
     * @param rival the dispatcher that it is compared with; null for the best
     */
    private record Value(Reading reading, @Nullable String rival) {}

    /** Asks that a number of our measurements keeps a limit; {@code where} says what to run if there are none. */
    private record Bar(
            int number,
            String asked,
            String where,
            Predicate<Measurement> applies,
            Value value,
            Better better,
            double limit) {}

    private static final Value TO_BEST_PEER = new Value((ours, all) -> ours.ratioToBestPeer(), null);
    private static final Value TO_DEFAULT = new Value((ours, all) -> ours.ratioToDefault(), Peers.DEFAULT);
    private static final Value TO_BOUND = new Value((ours, all) -> ours.ratioToBound(), null);
    private static final Value TO_CLASSIC = new Value(Bars::ratioToClassic, Peers.CLASSIC);
    private static final Value AS_IT_IS = new Value((ours, all) -> ours.value(), null);
    private static final Value BYTES_BEYOND_DEFAULT = new Value(Bars::bytesBeyondDefault, Peers.DEFAULT);

    /** Where nothing waits, being able to hide latency must cost nothing. */
    private static final Set<String> WITHOUT_LATENCY = Set.of(
            "fib",
            "mapreduce (δ 0 ms)",
            "sweep (p   0 %)",
            "quicksort (δ 0 ms)",
            "forkjoin (cut-off 12)",
            "forkjoin (cut-off none)");

    private static final List<Bar> ALL = List.of(
            bestDispatcher(1, "fib", "time"),
            bestDispatcher(2, "launch", "time"),
            bestDispatcher(3, "yield", "time"),
            bestDispatcher(4, "channel", "time"),
            bestDispatcher(4, "actors", "time"),
            bestDispatcher(5, "delay", "time"),
            atMost(1.03, 6, "≤ 1.03 × bound", "mapreduce", "time", TO_BOUND),
            bestDispatcher(6, "mapreduce", "time"),
            new Bar(
                    7,
                    "≤ 1.01 × CLASSIC",
                    "see paper",
                    measurement -> WITHOUT_LATENCY.contains(Labels.of(measurement)),
                    TO_CLASSIC,
                    Better.LOWER,
                    1.01),
            atMost(1.10, 8, "≤ 1.10 × bound", "sweep", "time", TO_BOUND),
            bestDispatcher(8, "sweep", "time"),
            bestDispatcher(9, "quicksort", "time"),
            atLeast(98, 10, "≥ 98 % of the ticks", "ticker", "ticks", AS_IT_IS),
            atMost(2, 10, "lateness p99 ≤ 2 ms", "ticker", "lateness p99", AS_IT_IS),
            atLeast(0.97, 10, "load ≥ 0.97 × Default's", "ticker", "load", TO_DEFAULT),
            bestDispatcher(11, "external", "time"),
            atLeast(1.3, 12, "≥ 1.3 × Default", "echo", "round trips", TO_DEFAULT),
            atMost(4, 12, "p99 beside a fork tree ≤ 4 ms", "echo", "p99 beside load", AS_IT_IS),
            bestDispatcher(13, "mixed", "p99"),
            bestDispatcher(13, "mixed", "p99.9"),
            atLeast(1.0, 13, "throughput ≥ best dispatcher's", "mixed", "throughput at p99 ≤ 20 ms", TO_BEST_PEER),
            atMost(64, 14, "≤ Default + 64 bytes", "memory", "heap", BYTES_BEYOND_DEFAULT),
            atMost(1.0, 15, "≤ 1.0 × Default", "idle", "CPU", TO_DEFAULT),
            forkJoin(1.0, "12"),
            forkJoin(1.3, "none"),
            elsewhere(17, "makespan ≤ T₁/P + c·T∞·lg P, c ≤ 4", "see simulate", 4));

    private Bars() {}

    /** All bars, in the order of their numbers. One that the run has no value for tells where to get it. */
    static List<BarResult> check(List<Measurement> measurements) {
        return ALL.stream().flatMap(bar -> check(bar, measurements)).toList();
    }

    private static Stream<BarResult> check(Bar bar, List<Measurement> measurements) {
        List<BarResult> results = measurements.stream()
                .filter(measurement -> measurement.dispatcher().equals(Peers.OURS) && bar.applies.test(measurement))
                .map(measurement -> check(bar, measurement, measurements))
                .toList();
        return results.stream().allMatch(result -> result.verdict() == Verdict.NOT_MEASURED)
                ? Stream.of(result(bar, bar.where, Verdict.NOT_MEASURED, null))
                : results.stream();
    }

    /**
     * A bar that was missed.
     *
     * @param ours our measurement
     * @param rival the dispatcher that it was compared with, or else the best
     * @param distance from the limit, as a part of it
     */
    record Missed(Measurement ours, String rival, double distance) {}

    /**
     * What a profile may explain: the bars that were missed, the largest distance first, and each case once for the same
     * rival. Not the heap, since a profile tells what takes time.
     */
    static List<Missed> missed(List<Measurement> measurements) {
        Set<List<String>> seen = new HashSet<>();
        return ALL.stream()
                .filter(bar -> !bar.value.equals(BYTES_BEYOND_DEFAULT))
                .flatMap(bar -> missed(bar, measurements))
                .sorted(Comparator.comparing(Missed::distance, Comparator.reverseOrder()))
                .filter(miss -> seen.add(List.of(Labels.of(miss.ours), miss.rival)))
                .toList();
    }

    private static Stream<Missed> missed(Bar bar, List<Measurement> measurements) {
        return measurements.stream()
                .filter(measurement -> measurement.dispatcher().equals(Peers.OURS) && bar.applies.test(measurement))
                .flatMap(ours -> {
                    BarResult result = check(bar, ours, measurements);
                    return result.verdict() == Verdict.MISSED
                            ? rival(bar, ours, measurements)
                                    .map(rival ->
                                            new Missed(ours, rival, Math.abs(result.value() / result.limit() - 1)))
                                    .stream()
                            : Stream.of();
                });
    }

    private static Optional<String> rival(Bar bar, Measurement ours, List<Measurement> all) {
        if (bar.value.rival != null) {
            return Optional.of(bar.value.rival);
        }
        List<Measurement> peers = all.stream()
                .filter(other -> Contest.name(other).equals(Contest.name(ours)) && Peers.isPeer(other.dispatcher()))
                .toList();
        return Contest.of(peers, 1).values().stream()
                .map(contest -> contest.winner().dispatcher())
                .findFirst();
    }

    private static BarResult check(Bar bar, Measurement measurement, List<Measurement> all) {
        Double value = bar.value.reading.of(measurement, all);
        return result(bar, Labels.of(measurement), verdict(bar, value, measurement.spread()), value);
    }

    private static BarResult result(Bar bar, String subject, Verdict verdict, @Nullable Double value) {
        return new BarResult(bar.number, bar.asked, subject, verdict, value == null ? Double.NaN : value, bar.limit);
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

    private static @Nullable Double ratioToClassic(Measurement ours, List<Measurement> all) {
        return all.stream()
                .filter(other -> other.dispatcher().equals(Peers.CLASSIC)
                        && Labels.of(other).equals(Labels.of(ours))
                        && other.metric().equals(ours.metric()))
                .map(classic -> Statistics.ratio(samples(ours), samples(classic)))
                .findFirst()
                .orElse(null);
    }

    private static double[] samples(Measurement measurement) {
        return measurement.samples().stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static @Nullable Double bytesBeyondDefault(Measurement memory, List<Measurement> all) {
        Double ratio = memory.ratioToDefault();
        return ratio == null ? null : memory.value() - memory.value() / ratio;
    }

    private static Bar bestDispatcher(int number, String workload, String metric) {
        String asked = (metric.equals("time") ? "" : metric + " ") + "≤ 1.0 × best dispatcher";
        return atMost(1.0, number, asked, workload, metric, TO_BEST_PEER);
    }

    private static Bar forkJoin(double limit, String cutOff) {
        return new Bar(
                16,
                "≤ " + limit + " × RecursiveTask",
                "--workloads forkjoin",
                measurement -> Labels.of(measurement).equals("forkjoin (cut-off " + cutOff + ")"),
                TO_BEST_PEER,
                Better.LOWER,
                limit);
    }

    private static Bar elsewhere(int number, String asked, String where, double limit) {
        return new Bar(number, asked, where, any -> false, AS_IT_IS, Better.LOWER, limit);
    }

    private static Bar atMost(double limit, int number, String asked, String workload, String metric, Value value) {
        return ofWorkload(number, asked, workload, metric, value, Better.LOWER, limit);
    }

    private static Bar atLeast(double limit, int number, String asked, String workload, String metric, Value value) {
        return ofWorkload(number, asked, workload, metric, value, Better.HIGHER, limit);
    }

    private static Bar ofWorkload(
            int number, String asked, String workload, String metric, Value value, Better better, double limit) {
        return new Bar(
                number,
                asked,
                "--workloads " + workload,
                measurement -> measurement.workload().equals(workload)
                        && measurement.metric().equals(metric),
                value,
                better,
                limit);
    }
}
