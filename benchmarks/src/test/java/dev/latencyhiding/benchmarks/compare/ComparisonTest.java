package dev.latencyhiding.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.peers.PeerSpec;
import dev.latencyhiding.benchmarks.peers.Peers;
import dev.latencyhiding.benchmarks.workloads.Sample;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class ComparisonTest {
    private static final PeerSpec OURS = Peers.named(Peers.OURS);
    private static final PeerSpec DEFAULT = Peers.named(Peers.DEFAULT);
    private static final PeerSpec FIXED = Peers.named("Fixed");
    private static final PeerSpec FORK_JOIN = Peers.named(Peers.FORK_JOIN);
    private static final PeerSpec CLASSIC = Peers.named(Peers.CLASSIC);

    private final Comparison comparison = new Comparison("w", Collections.unmodifiableSortedMap(new TreeMap<>()), 3);

    @Test
    void measurements_haveMedianAndRatios() {
        addTimes(OURS, 8, 10, 12);
        addTimes(DEFAULT, 16, 20, 24);
        addTimes(FIXED, 32, 40, 48);
        addTimes(Peers.bound(), 4, 5, 6);

        Measurement ours = only(OURS);

        assertEquals(10, ours.value());
        assertEquals(List.of(8.0, 10.0, 12.0), ours.samples());
        assertEquals(0.5, ours.ratioToDefault());
        assertEquals(0.5, ours.ratioToBestPeer());
        assertEquals(2.0, ours.ratioToBound());
    }

    @Test
    void bestPeer_isNeitherOursNorTheBoundNorItself() {
        addTimes(OURS, 1, 1, 1);
        addTimes(Peers.bound(), 1, 1, 1);
        addTimes(DEFAULT, 10, 10, 10);
        addTimes(FIXED, 20, 20, 20);

        assertEquals(0.5, only(DEFAULT).ratioToBestPeer());
        assertEquals(2.0, only(FIXED).ratioToBestPeer());
    }

    @Test
    void bestPeer_whereMoreIsBetter_isTheHighest() {
        comparison.add(OURS, 0, List.of(Sample.higher("ticks", "", 90)));
        comparison.add(DEFAULT, 0, List.of(Sample.higher("ticks", "", 10)));
        comparison.add(FIXED, 0, List.of(Sample.higher("ticks", "", 45)));

        assertEquals(2.0, only(OURS).ratioToBestPeer());
    }

    @Test
    void missingDispatchers_giveNoRatios() {
        addTimes(OURS, 8, 10, 12);

        Measurement ours = only(OURS);

        assertNull(ours.ratioToDefault());
        assertNull(ours.ratioToBestPeer());
        assertNull(ours.ratioToBound());
    }

    @Test
    void missingRounds_areNotCounted() {
        addTimes(OURS, 10);

        assertEquals(10, only(OURS).value());
        assertEquals(List.of(10.0, Double.NaN, Double.NaN), only(OURS).samples());
    }

    @Test
    void contenders_beforeTheFirstRound_areAll() {
        assertEquals(List.of(OURS, FIXED), comparison.contenders(List.of(OURS, FIXED), 2));
    }

    @Test
    void contenders_afterIt_areThoseWithinReach_andThoseThatRatiosReferTo() {
        List<PeerSpec> all = List.of(OURS, DEFAULT, FIXED, FORK_JOIN, CLASSIC, Peers.bound());
        addTimes(OURS, 100);
        addTimes(DEFAULT, 100);
        addTimes(FIXED, 21);
        addTimes(FORK_JOIN, 10);
        addTimes(CLASSIC, 100);
        addTimes(Peers.bound(), 1);

        assertEquals(List.of(OURS, DEFAULT, FORK_JOIN, CLASSIC, Peers.bound()), comparison.contenders(all, 2));
        assertEquals(all, comparison.contenders(all, 2.2));
    }

    @Test
    void contenders_withinReachInOneMetric_areKept() {
        comparison.add(FORK_JOIN, 0, List.of(Sample.lower("p99", "ms", 1), Sample.higher("rate", "1/s", 30)));
        comparison.add(FIXED, 0, List.of(Sample.lower("p99", "ms", 9), Sample.higher("rate", "1/s", 16)));

        assertEquals(List.of(FORK_JOIN, FIXED), comparison.contenders(List.of(FORK_JOIN, FIXED), 2));
        assertEquals(List.of(FORK_JOIN), comparison.contenders(List.of(FORK_JOIN, FIXED), 1.5));
    }

    private void addTimes(PeerSpec peer, double... millis) {
        for (int round = 0; round < millis.length; round++) {
            comparison.add(peer, round, List.of(Sample.lower("time", "ms", millis[round])));
        }
    }

    private Measurement only(PeerSpec peer) {
        List<Measurement> measurements = comparison.measurements(List.of(peer));
        assertEquals(1, measurements.size());
        return measurements.get(0);
    }
}
