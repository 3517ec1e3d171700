package dev.latencyhiding.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latencyhiding.benchmarks.workloads.Sample;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class RoundTest {
    @Test
    void of_noTime_runsOnce() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        List<Sample> samples = Round.of(() -> List.of(Sample.lower("x", "s", runs.incrementAndGet())), 0);
        assertEquals(List.of(Sample.lower("x", "s", 1)), samples);
    }

    @Test
    void of_shortProgram_isRepeated_medianOfEachMetric() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        List<Sample> samples = Round.of(
                () -> {
                    int run = runs.incrementAndGet();
                    return List.of(Sample.lower("x", "s", run), Sample.higher("y", "1/s", -run));
                },
                5);
        double middle = (runs.get() + 1) / 2.0;
        assertTrue(runs.get() > 1);
        assertEquals(List.of(Sample.lower("x", "s", middle), Sample.higher("y", "1/s", -middle)), samples);
    }
}
