package dev.latencyhiding.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latencyhiding.benchmarks.workloads.Scale;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class EffortTest {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration LONGER = Duration.ofMinutes(6);
    private static final Duration SHORTER = Duration.ofMinutes(4);

    @Test
    void withoutLimit_allIsDone() {
        assertTrue(effort(null).hasTimeForJvm(2, LONGER));
        assertTrue(effort(null).hasTimeForProfile(LONGER));
    }

    @Test
    void withLimit_noFurtherJvmIsMeasuredLater() {
        assertTrue(effort(LIMIT).hasTimeForJvm(1, SHORTER));
        assertFalse(effort(LIMIT).hasTimeForJvm(1, LONGER));
    }

    /** A case without any value would be missing in the report. */
    @Test
    void withLimit_theFirstJvmIsMeasuredInAnyCase() {
        assertTrue(effort(LIMIT).hasTimeForJvm(0, LONGER));
    }

    @Test
    void withLimit_profilesHaveTimeOfTheirOwn() {
        Duration shortlyBefore = LIMIT.minusSeconds(5);

        assertFalse(effort(LIMIT).hasTimeForJvm(1, shortlyBefore));
        assertTrue(effort(LIMIT).hasTimeForProfile(shortlyBefore));
        assertFalse(effort(LIMIT).hasTimeForProfile(LONGER));
    }

    private static Effort effort(@Nullable Duration limit) {
        return new Effort(Scale.TINY, 1, new Effort.WarmUp(1, 1, 1, 1), 3, true, 1, limit);
    }
}
