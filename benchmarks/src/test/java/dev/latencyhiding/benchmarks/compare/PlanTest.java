package dev.latencyhiding.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.latencyhiding.benchmarks.workloads.Scale;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class PlanTest {
    @Test
    void jvms_withoutLimit_areAllMade() {
        assertEquals(4, jvms(plan(4, null), 1_000));
    }

    @Test
    void jvms_withLimit_endInTime() {
        assertEquals(4, jvms(plan(4, Duration.ofMinutes(5)), 70));
        assertEquals(3, jvms(plan(4, Duration.ofMinutes(5)), 90));
        assertEquals(2, jvms(plan(4, Duration.ofMinutes(5)), 110));
    }

    @Test
    void jvms_thatTakeTooLong_areTwoAllTheSame() {
        assertEquals(2, jvms(plan(4, Duration.ofMinutes(5)), 400));
        assertEquals(1, jvms(plan(1, Duration.ofMinutes(5)), 400));
    }

    private static int jvms(Plan plan, int secondsEach) {
        int made = 0;
        while (plan.hasTimeForJvm(made, Duration.ofSeconds((long) made * secondsEach))) {
            made++;
        }
        return made;
    }

    private static Plan plan(int jvms, @Nullable Duration limit) {
        return new Plan(List.of(), List.of(), Scale.TINY, jvms, 1, new Plan.WarmUp(1, 1, 1), limit);
    }
}
