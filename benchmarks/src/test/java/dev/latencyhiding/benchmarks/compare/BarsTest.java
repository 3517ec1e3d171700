package dev.latencyhiding.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.latencyhiding.benchmarks.BarResult;
import dev.latencyhiding.benchmarks.BarResult.Verdict;
import dev.latencyhiding.benchmarks.Better;
import dev.latencyhiding.benchmarks.Measurement;
import java.util.List;
import java.util.TreeMap;
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
        assertEquals(Verdict.NOT_MEASURED, verdict(fib(null, 0)));
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

        BarResult bar = Bars.check(List.of(ours, classic)).get(0);

        assertEquals(7, bar.number());
        assertEquals(1.25, bar.value());
        assertEquals(Verdict.MISSED, bar.verdict());
    }

    @Test
    void otherDispatchers_haveNoBars() {
        assertEquals(List.of(), Bars.check(List.of(on("Default", fib(1.2, 0), 5))));
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
        List<BarResult> bars = Bars.check(List.of(measurement));
        assertEquals(1, bars.size());
        return bars.get(0);
    }

    private static Measurement fib(Double ratio, double spread) {
        return of("fib", "time", Better.LOWER, 5, ratio, spread);
    }

    private static Measurement of(
            String workload, String metric, Better better, double value, Double ratio, double spread) {
        return new Measurement(
                workload,
                new TreeMap<>(),
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
