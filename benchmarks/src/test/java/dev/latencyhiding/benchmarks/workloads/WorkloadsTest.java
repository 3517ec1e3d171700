package dev.latencyhiding.benchmarks.workloads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latencyhiding.benchmarks.peers.Peer;
import dev.latencyhiding.benchmarks.peers.PeerSpec;
import dev.latencyhiding.benchmarks.peers.Peers;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every workload runs, and finds its own result right, at a size at which nothing can be measured. */
final class WorkloadsTest {
    private static final int PARALLELISM = 2;

    @TestFactory
    Stream<DynamicTest> run_onLatencyHidingAndOthers_givesSamples() {
        return Stream.of(Peers.OURS, Peers.DEFAULT, Peers.FORK_JOIN).flatMap(name -> {
            PeerSpec spec = Peers.named(name);
            Peer peer = spec.start(PARALLELISM);
            return Workloads.all().stream()
                    .flatMap(workload -> workload.cases(Scale.TINY).stream()
                            .filter(program -> program.isFor(spec))
                            .map(program -> DynamicTest.dynamicTest(
                                    workload.name() + program.parameters() + " on " + name,
                                    () -> requireSound(program.run(peer)))));
        });
    }

    /** Those that keep a thread for what waits, and those that are made for the comparison. */
    @TestFactory
    Stream<DynamicTest> run_onSimpleRivals_givesSamples() {
        return Stream.of("Default+Thread", "TwoQueues").flatMap(name -> {
            Peer peer = Peers.named(name).start(PARALLELISM);
            return Stream.of("delay", "mapreduce", "external", "ticker")
                    .map(workload -> Workloads.named(workload).cases(Scale.TINY))
                    .map(cases -> cases.get(cases.size() - 1))
                    .map(program -> DynamicTest.dynamicTest(
                            program.parameters() + " on " + name, () -> requireSound(program.run(peer))));
        });
    }

    /** Netty and the like: echo only. */
    @TestFactory
    Stream<DynamicTest> run_onReferences_givesSamples() {
        Case echo = Workloads.named("echo").cases(Scale.TINY).get(0);
        return Peers.known().stream()
                .filter(spec -> spec.role() == PeerSpec.Role.REFERENCE)
                .map(spec -> DynamicTest.dynamicTest(
                        "echo on " + spec.name(), () -> requireSound(echo.run(spec.start(PARALLELISM)))));
    }

    @Test
    void isFor_references_echoOnly() {
        PeerSpec netty = Peers.named(Peers.NETTY);
        List<String> forNetty = Workloads.all().stream()
                .filter(workload -> workload.cases(Scale.TINY).stream().anyMatch(program -> program.isFor(netty)))
                .map(Workload::name)
                .toList();
        assertEquals(List.of("echo"), forNetty);
    }

    /** Elsewhere it is Dispatchers.Default once more. */
    @Test
    void isFor_threadForWhatWaits_onlyWhereSomethingWaits() {
        PeerSpec withThread = Peers.named(Peers.DEFAULT_AND_THREAD);
        List<String> forIt = Workloads.all().stream()
                .flatMap(workload -> workload.cases(Scale.TINY).stream()
                        .filter(program -> program.isFor(withThread))
                        .map(program -> workload.name()))
                .distinct()
                .toList();
        assertEquals(
                List.of("delay", "mapreduce", "sweep", "quicksort", "ticker", "external", "mixed", "memory", "idle"),
                forIt);
    }

    @TestFactory
    Stream<DynamicTest> bound_ofCasesThatHaveOne_givesSamples() {
        return Workloads.all().stream()
                .flatMap(workload -> workload.cases(Scale.TINY).stream()
                        .filter(Case::hasBound)
                        .map(program -> DynamicTest.dynamicTest(
                                workload.name() + program.parameters(),
                                () -> requireSound(program.bound(PARALLELISM)))));
    }

    @Test
    void cases_ofAllScales_haveDistinctParameters() {
        for (Workload workload : Workloads.all()) {
            for (Scale scale : Scale.values()) {
                List<Case> cases = workload.cases(scale);
                assertFalse(cases.isEmpty());
                assertEquals(
                        cases.size(),
                        cases.stream().map(Case::parameters).distinct().count(),
                        workload.name());
            }
        }
    }

    private static void requireSound(List<Sample> samples) {
        assertFalse(samples.isEmpty());
        for (Sample sample : samples) {
            // Memory may seem to shrink at this size, when what was left from before is collected.
            assertTrue(Double.isFinite(sample.value()), sample.toString());
            assertTrue(sample.value() >= 0 || sample.metric().equals("heap"), sample.toString());
        }
    }
}
