package dev.latencyhiding.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AxisTest {
    @Test
    void linear_roundTicks_coverTheValues() {
        Axis axis = Axis.linear(3, 97, 0, 100);

        assertEquals(List.of(0.0, 20.0, 40.0, 60.0, 80.0, 100.0), axis.ticks());
        assertEquals(97, axis.at(97), 1e-9);
    }

    @Test
    void linear_downwards_putsTheHighestOnTop() {
        Axis axis = Axis.linear(0, 10, 300, 20);

        assertEquals(300, axis.at(0), 1e-9);
        assertEquals(20, axis.at(10), 1e-9);
    }

    @Test
    void linear_negativeValues_startBelowZero() {
        assertTrue(Axis.linear(-3, 5, 0, 1).ticks().get(0) <= -3);
    }

    @Test
    void linear_allZero_hasTicks() {
        assertTrue(Axis.linear(0, 0, 0, 1).ticks().size() > 1);
    }

    @Test
    void logarithmic_equalRatios_areEquallyFarApart() {
        Axis axis = Axis.logarithmic(1, 4096, 2, 0, 120);

        assertEquals(0, axis.at(1), 1e-9);
        assertEquals(50, axis.at(32), 1e-9);
        assertEquals(120, axis.at(4096), 1e-9);
        assertTrue(axis.ticks().size() <= 8, axis.ticks()::toString);
    }

    @ParameterizedTest
    @CsvSource({
        "0.00012, 1.2e-04",
        "0.05, 0.0500",
        "0.1234, 0.123",
        "1.004, 1.00",
        "12.345, 12.3",
        "7, 7",
        "1234.5, '1,235'",
        "NaN, –"
    })
    void format_threeDigits(double value, String expected) {
        assertEquals(expected, Numbers.format(value));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "0.5, 0.5", "100, 100", "4096, 4096", "20000, 20k", "2500000, 2.5M", "3e9, 3G"})
    void tick_isShort(double value, String expected) {
        assertEquals(expected, Numbers.tick(value));
    }
}
