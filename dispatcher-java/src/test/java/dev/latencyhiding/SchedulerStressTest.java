package dev.latencyhiding;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nothing is lost and nothing runs twice, whatever the interleaving of spawns, yields, suspensions,
 * early and late and double completions, cancellations, blocking, failures and closing. A lost node is
 * found by its number, a hang by a deadline; both print the seed and all that is inside the scheduler.
 *
 * <p>{@code -Dlatencyhiding.seed=N} repeats the load of a seed; the timing is the machine's.
 *
 * <p>Seen to fail when SchedulerCore.resume lets the loser of a race to end the last suspension see that
 * the scheduler has terminated.
 */
@ParameterizedClass
@EnumSource
class SchedulerStressTest {
    @Parameter
    Policy policy;

    /** Rounds of many sizes: short ones meet the closing more often, long ones reach a steady state. */
    @ParameterizedTest
    @ValueSource(ints = {500, 5_000, 50_000})
    void randomLoad_inManyRounds_runsEachNodeOnce(int maxNodes) {
        final long firstSeed = Long.getLong("latencyhiding.seed", System.nanoTime());
        System.out.println("stress: " + policy + ", rounds of up to " + maxNodes + " nodes from seed " + firstSeed);
        // Small rounds cost more: most of their time goes into starting and ending schedulers.
        long nodes = ((long) maxNodes * Await.scaled(20, 500) + Await.scaled(50_000, 1_000_000)) / costOf(policy);
        for (long seed = firstSeed; nodes > 0; seed++) {
            nodes -= Math.max(1, new StressRound(policy, seed, maxNodes).run());
        }
    }

    /** Where waiting blocks, a round takes longer. */
    private static int costOf(Policy policy) {
        return policy == Policy.CLASSIC ? 4 : 1;
    }

    @Test
    void oneRound_ofGivenSeed_runsEachNodeOnce() {
        new StressRound(policy, Long.getLong("latencyhiding.seed", 1), 20_000 / costOf(policy)).run();
    }
}
