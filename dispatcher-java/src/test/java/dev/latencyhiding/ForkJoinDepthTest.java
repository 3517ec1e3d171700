package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code invoke} inside {@code invoke}: as deep as the stack allows, and what happens when it ends. */
@ParameterizedClass
@EnumSource
@Timeout(180)
class ForkJoinDepthTest {
    @Parameter
    Policy policy;

    private LatencyHidingScheduler scheduler(int parallelism) {
        return ForkJoinTrees.scheduler(policy, parallelism);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void recursion_withoutEnd_overflowsAndTheWorkerGoesOn(int parallelism) {
        try (LatencyHidingScheduler scheduler = scheduler(parallelism)) {
            for (int i = 0; i < 5; i++) {
                final AtomicInteger depth = new AtomicInteger();
                assertThrows(StackOverflowError.class, () -> endless(scheduler, depth));
                assertTrue(depth.get() > 300, "depth " + depth);
            }
            assertEquals(
                    1 << 10,
                    scheduler
                            .supply(() -> ForkJoinTrees.sum(scheduler, 1 << 10))
                            .join());
        }
    }

    private static void endless(LatencyHidingScheduler scheduler, AtomicInteger depth) {
        depth.incrementAndGet();
        scheduler.invoke(() -> endless(scheduler, depth), () -> endless(scheduler, depth));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void recursion_threeHundredDeep_onEitherSide_returns(int parallelism) {
        try (LatencyHidingScheduler scheduler = scheduler(parallelism)) {
            final AtomicInteger leaves = new AtomicInteger();
            scheduler.invoke(() -> deep(scheduler, 300, true, leaves), () -> deep(scheduler, 300, false, leaves));
            assertEquals(602, leaves.get());
        }
    }

    private static void deep(LatencyHidingScheduler scheduler, int depth, boolean onTheLeft, AtomicInteger leaves) {
        if (depth == 0) {
            leaves.incrementAndGet();
            return;
        }
        final Runnable on = () -> deep(scheduler, depth - 1, onTheLeft, leaves);
        scheduler.invoke(onTheLeft ? on : leaves::incrementAndGet, onTheLeft ? leaves::incrementAndGet : on);
    }
}
