package dev.latencyhiding.benchmarks.simulate;

import static dev.latencyhiding.benchmarks.simulate.Algorithm.CLASSIC;
import static dev.latencyhiding.benchmarks.simulate.Algorithm.LHWS;
import static dev.latencyhiding.benchmarks.simulate.Algorithm.PROWS_R;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every run also checks its own schedule: each node once, none too early, no worker with two at a time. */
final class SimulationTest {
    static Stream<Arguments> algorithmsAndKinds() {
        return Arrays.stream(Algorithm.values())
                .flatMap(algorithm -> Arrays.stream(DagKind.values()).map(kind -> Arguments.of(algorithm, kind)));
    }

    @ParameterizedTest
    @MethodSource("algorithmsAndKinds")
    void run_oneWorkerWithoutLatency_takesExactlyTheWork(Algorithm algorithm, DagKind kind) {
        Dag dag = kind.build(new DagShape(2000, 10, 0, 3));

        Outcome outcome = algorithm.run(dag, 1, 1);

        assertEquals(dag.work(), outcome.makespan());
        assertEquals(0, outcome.steals());
        assertEquals(0, outcome.failedSteals());
    }

    @ParameterizedTest
    @MethodSource("algorithmsAndKinds")
    void run_sameSeed_isTheSame(Algorithm algorithm, DagKind kind) {
        Dag dag = kind.build(new DagShape(2000, 10, 100, 3));

        assertEquals(algorithm.run(dag, 16, 42), algorithm.run(dag, 16, 42));
        assertNotEquals(algorithm.run(dag, 16, 42), algorithm.run(dag, 16, 43));
    }

    @ParameterizedTest
    @MethodSource("algorithmsAndKinds")
    void run_manyShapes_keepsTheRulesAndTheLowerBound(Algorithm algorithm, DagKind kind) {
        for (int size : new int[] {1, 2, 70, 1500}) {
            for (int latency : new int[] {0, 1, 9, 400}) {
                for (int grain : new int[] {1, 12}) {
                    Dag dag = kind.build(new DagShape(size, grain, latency, size));
                    for (int workers : new int[] {1, 2, 3, 17, 300}) {
                        Outcome outcome = algorithm.run(dag, workers, latency);

                        assertTrue(outcome.makespan() >= outcome.lowerBound(), outcome::toString);
                        assertTrue(outcome.muggings() <= outcome.steals(), outcome::toString);
                        assertTrue(outcome.maxSuspended() <= outcome.waits(), outcome::toString);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void run_chainWithOneWait_takesItsSpan(Algorithm algorithm) {
        Outcome outcome = algorithm.run(chainWithOneWait(), 1, 1);

        // LHWS notices the node that came back in one round and changes to its deque in the next.
        assertEquals(1 + 10 + 2 + (algorithm == LHWS ? 1 : 0), outcome.makespan());
        assertEquals(algorithm == PROWS_R ? 1 : 0, outcome.steals());
        assertEquals(algorithm == LHWS ? 1 : 0, outcome.switches());
        assertEquals(1, outcome.maxSuspended());
    }

    private static Dag chainWithOneWait() {
        DagBuilder builder = new DagBuilder();
        builder.node(1);
        builder.node(2);
        builder.await(0, 1, 10);
        return builder.build();
    }

    @Test
    void run_idleThieves_attemptOnceEachUnit() {
        Outcome outcome = CLASSIC.run(chainWithOneWait(), 4, 1);

        // Three thieves, from the start to the last unit, in which nothing is left to be found.
        assertEquals(13, outcome.makespan());
        assertEquals(3 * 13, outcome.failedSteals());
    }

    @Test
    void classic_oneWorker_paysEveryLatency() {
        Dag dag = DagKind.MAP_REDUCE.build(new DagShape(100, 10, 50, 1));

        Outcome outcome = CLASSIC.run(dag, 1, 1);

        assertEquals(dag.work() + 100 * 50, outcome.makespan());
        assertEquals(1, outcome.maxSuspended());
        assertEquals(1, outcome.maxDeques());
    }

    @ParameterizedTest
    @EnumSource(names = {"PROWS_R", "LHWS"})
    void hiding_oneWorkerLongLatency_waitsOnce(Algorithm algorithm) {
        Dag dag = DagKind.MAP_REDUCE.build(new DagShape(100, 10, 50_000, 1));

        Outcome outcome = algorithm.run(dag, 1, 1);

        assertEquals(100, outcome.maxSuspended());
        assertTrue(outcome.makespan() < 50_000 + dag.work() + 3 * 100, outcome::toString);
    }

    @Test
    void prowsR_manyNodesComeBack_mugsDeques() {
        // Leaves wait while most of the tree is still in the deques, so that they come back to deques with nodes.
        Dag dag = DagKind.FORK_JOIN.build(new DagShape(4000, 4, 10, 1));

        assertTrue(PROWS_R.run(dag, 8, 1).muggings() > 100);
    }

    @Test
    void lhws_manyNodesComeBackTogether_unfoldsThemAsATree() {
        Dag dag = DagKind.MAP_REDUCE.build(new DagShape(1000, 40, 5, 1));

        assertTrue(LHWS.run(dag, 2, 1).ownVertices() > 10);
    }

    @Test
    void outcome_oneWorkerOrNone_hasConstantZeroIfWorkIsEnough() {
        Dag dag = DagKind.FORK_JOIN.build(new DagShape(100, 4, 0, 1));

        assertEquals(0, PROWS_R.run(dag, 1, 1).constant());
    }

    @Test
    void run_noWorker_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> PROWS_R.run(chainWithOneWait(), 0, 1));
    }
}
