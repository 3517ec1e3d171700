package dev.latencyhiding.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latencyhiding.benchmarks.workloads.Scale;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class PlanTest {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration LONGER = Duration.ofMinutes(6);
    private static final Duration SHORTER = Duration.ofMinutes(4);

    @Test
    void withoutLimit_allJvmsAreMeasured() {
        assertTrue(plan(null).hasTimeForJvm(2, LONGER));
    }

    @Test
    void withLimit_noFurtherJvmIsMeasuredLater() {
        assertTrue(plan(LIMIT).hasTimeForJvm(1, SHORTER));
        assertFalse(plan(LIMIT).hasTimeForJvm(1, LONGER));
    }

    /** A case without any value would be missing in the report. */
    @Test
    void withLimit_theFirstJvmIsMeasuredInAnyCase() {
        assertTrue(plan(LIMIT).hasTimeForJvm(0, LONGER));
    }

    private static Plan plan(@Nullable Duration limit) {
        return new Plan(List.of(), List.of(), Scale.TINY, 3, 1, new Plan.WarmUp(1, 1, 1), 3, limit);
    }
}
