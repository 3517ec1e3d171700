package dev.latencyhiding.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.latencyhiding.benchmarks.BarResult;
import dev.latencyhiding.benchmarks.BarResult.Verdict;
import dev.latencyhiding.benchmarks.Better;
import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.workloads.Case;
import dev.latencyhiding.benchmarks.workloads.Scale;
import dev.latencyhiding.benchmarks.workloads.Workload;
import dev.latencyhiding.benchmarks.workloads.Workloads;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class BarsTest {
    @Test
    void ratio_withinTheLimit_isMet() {
        assertEquals(Verdict.MET, verdict(fib(1.0, 0)));
    }

    @Test
    void ratio_beyondTheLimitByLessThanTheSpread_isLevel() {
        assertEquals(Verdict.LEVEL, verdict(fib(1.04, 0.05)));
    }

    @Test
    void ratio_beyondTheLimit_isMissed() {
        assertEquals(Verdict.MISSED, verdict(fib(1.2, 0.05)));
    }

    @Test
    void ratio_withoutPeers_isNotMeasured() {
        assertEquals(List.of(), measured(List.of(fib(null, 0))));
    }

    @Test
    void whereMoreIsBetter_tooLittleIsMissed() {
        assertEquals(Verdict.MISSED, verdict(of("ticker", "ticks", Better.HIGHER, 90, null, 0)));
        assertEquals(Verdict.MET, verdict(of("ticker", "ticks", Better.HIGHER, 99, null, 0)));
    }

    @Test
    void memory_isComparedByDifference() {
        BarResult bar = only(of("memory", "heap", Better.LOWER, 300, 1.5, 0));

        assertEquals(100, bar.value(), 1e-9);
        assertEquals(Verdict.MISSED, bar.verdict());
    }

    @Test
    void classic_isComparedWhereNothingWaits() {
        Measurement ours = fib(1.0, 0);
        Measurement classic = on("LatencyHiding-CLASSIC", ours, 4);

        BarResult bar = measured(List.of(ours, classic)).get(1);

        assertEquals(7, bar.number());
        assertEquals(1.25, bar.value());
        assertEquals(Verdict.MISSED, bar.verdict());
        assertEquals("missed by 23.8 %", bar.inWords());
    }

    /** Bars go by the names of cases, which are written elsewhere. */
    @Test
    void classic_isComparedInEveryCaseInWhichNothingWaits() {
        for (Workload workload : Workloads.all()) {
            for (Case program : workload.cases(Scale.FULL)) {
                Measurement ours = new Measurement(
                        workload.name(),
                        program.parameters(),
                        "LatencyHiding",
                        "time",
                        "ms",
                        Better.LOWER,
                        5,
                        0,
                        List.of(5.0),
                        null,
                        null,
                        null);
                long compared = measured(List.of(ours, on("LatencyHiding-CLASSIC", ours, 5))).stream()
                        .filter(bar -> bar.number() == 7)
                        .count();
                assertEquals(program.nothingWaits() ? 1 : 0, compared, ours.toString());
            }
        }
    }

    @Test
    void forkJoin_limitDependsOnTheCutOff() {
        assertEquals(Verdict.MISSED, verdict(forkJoin("12", 1.2)));
        assertEquals(Verdict.MET, verdict(forkJoin("none", 1.2)));
    }

    @Test
    void missed_namesTheRival_theLargestDistanceFirst() {
        Measurement load = of("ticker", "load", Better.HIGHER, 80, 0.8, 0);
        Measurement fib = fib(1.1, 0);

        assertEquals(
                List.of("ticker Default", "fib Fixed"),
                missed(
                        load,
                        on("Default", load, 100),
                        fib,
                        on("LatencyHiding-CLASSIC", fib, 5),
                        on("Default", fib, 4.8),
                        on("Fixed", fib, 4.5),
                        on("Netty", fib, 1)));
    }

    @Test
    void missed_sameCaseByTwoBars_isNamedOnceForEachRival() {
        Measurement fib = fib(1.1, 0);

        assertEquals(
                List.of("fib LatencyHiding-CLASSIC", "fib Default"),
                missed(fib, on("Default", fib, 4.5), on("LatencyHiding-CLASSIC", fib, 4)));
        Measurement ticker = of("ticker", "ticks", Better.HIGHER, 90, null, 0);
        Measurement late = of("ticker", "lateness p99", Better.LOWER, 5, null, 0);
        assertEquals(
                List.of("ticker Default"), missed(ticker, on("Default", ticker, 4), late, on("Default", late, 99)));
    }

    @Test
    void missed_levelOrMet_orHeap_isLeftOut() {
        Measurement level = fib(1.04, 0.05);
        Measurement heap = of("memory", "heap", Better.LOWER, 300, 1.5, 0);

        assertEquals(List.of(), missed(level, on("Default", level, 4.8), heap, on("Default", heap, 200)));
    }

    private static List<String> missed(Measurement... measurements) {
        return Bars.missed(List.of(measurements)).stream()
                .map(miss -> miss.ours().workload() + " " + miss.rival())
                .toList();
    }

    @Test
    void otherDispatchers_haveNoBars() {
        assertEquals(List.of(), measured(List.of(on("Default", fib(1.2, 0), 5))));
    }

    @Test
    void everyBar_isListedInOrder_withWhereToMeasureIt() {
        List<BarResult> bars = Bars.check(List.of());

        List<Integer> numbers = bars.stream().map(BarResult::number).toList();
        assertEquals(
                IntStream.rangeClosed(1, 17).boxed().toList(),
                numbers.stream().distinct().toList());
        assertEquals(numbers.stream().sorted().toList(), numbers);
        assertEquals("see paper", subject(bars, 7));
        assertEquals("--workloads quicksort", subject(bars, 9));
        assertEquals("see simulate", subject(bars, 17));
    }

    private static String subject(List<BarResult> bars, int number) {
        return bars.stream()
                .filter(bar -> bar.number() == number)
                .findFirst()
                .orElseThrow()
                .subject();
    }

    private static List<BarResult> measured(List<Measurement> measurements) {
        return Bars.check(measurements).stream()
                .filter(bar -> bar.verdict() != Verdict.NOT_MEASURED)
                .toList();
    }

    private static Measurement on(String dispatcher, Measurement like, double value) {
        return new Measurement(
                like.workload(),
                like.parameters(),
                dispatcher,
                like.metric(),
                like.unit(),
                like.better(),
                value,
                like.spread(),
                List.of(value),
                like.ratioToDefault(),
                like.ratioToBestPeer(),
                null);
    }

    private static Verdict verdict(Measurement measurement) {
        return only(measurement).verdict();
    }

    private static BarResult only(Measurement measurement) {
        List<BarResult> bars = measured(List.of(measurement));
        assertEquals(1, bars.size());
        return bars.get(0);
    }

    private static Measurement fib(Double ratio, double spread) {
        return of("fib", "time", Better.LOWER, 5, ratio, spread);
    }

    private static Measurement forkJoin(String cutOff, double ratio) {
        return of("forkjoin", Map.of("cut-off", cutOff), "time", Better.LOWER, 5, ratio, 0);
    }

    private static Measurement of(
            String workload, String metric, Better better, double value, Double ratio, double spread) {
        return of(workload, Map.of(), metric, better, value, ratio, spread);
    }

    private static Measurement of(
            String workload,
            Map<String, String> parameters,
            String metric,
            Better better,
            double value,
            Double ratio,
            double spread) {
        return new Measurement(
                workload,
                new TreeMap<>(parameters),
                "LatencyHiding",
                metric,
                "",
                better,
                value,
                spread,
                List.of(value),
                ratio,
                ratio,
                null);
    }
}
