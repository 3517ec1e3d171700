package dev.latencyhiding.benchmarks.simulate;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Makespan at most T₁/P + c·T∞·lg P, with one c for all. */
final class BoundTest {
    private static final double CONSTANT = 4;

    @ParameterizedTest
    @EnumSource
    void prowsR_upTo4096Workers_staysWithinTheBound(DagKind kind) {
        for (int latency : new int[] {0, 3, 50, 2000}) {
            for (int grain : new int[] {1, 10}) {
                Dag dag = kind.build(new DagShape(3000, grain, latency, 1));
                for (int workers = 1; workers <= 4096; workers *= 4) {
                    Outcome outcome = Algorithm.PROWS_R.run(dag, workers, workers);

                    assertTrue(
                            outcome.constant() <= CONSTANT,
                            () -> kind + ", latency " + latency + ", c = " + outcome.constant() + ": " + outcome);
                }
            }
        }
    }

    @Test
    void classic_manyWaits_doesNot() {
        Dag dag = DagKind.MAP_REDUCE.build(new DagShape(3000, 10, 2000, 1));

        Outcome outcome = Algorithm.CLASSIC.run(dag, 16, 1);

        assertTrue(outcome.constant() > 10 * CONSTANT, outcome::toString);
    }
}
