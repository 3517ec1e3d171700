package dev.latencyhiding.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class StolenTimeTest {
    @Test
    void share_isOfTimeWantedNotOfIdleTime() {
        final String before = "cpu  100 10 20 5000 7 1 2 40 0 0";
        final String after = "cpu  160 15 25 9000 9 2 3 58 0 0"; // 72 busy, 18 stolen
        assertEquals(OptionalDouble.of(0.2), StolenTime.share(before, after));
    }

    @Test
    void share_whileNothingRan_isZero() {
        final String line = "cpu  100 10 20 5000 7 1 2 40 0 0";
        assertEquals(OptionalDouble.of(0), StolenTime.share(line, line));
    }

    @Test
    void share_ofSystemThatDoesNotTell_isEmpty() {
        assertEquals(OptionalDouble.empty(), StolenTime.share("", ""));
        assertEquals(OptionalDouble.empty(), StolenTime.share("cpu  1 2 3 4", "cpu  2 3 4 5"));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void share_here_isKnown() {
        final double share = new StolenTime().share().orElseThrow();
        assertTrue(share >= 0 && share <= 1, () -> "share " + share);
    }
}
