package dev.latencyhiding.benchmarks.paper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latencyhiding.LatencyHidingScheduler;
import dev.latencyhiding.Policy;
import dev.latencyhiding.benchmarks.paper.MapReduce.Task;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link MapReduce#nanos} checks its own result. */
final class MapReduceTest {
    private static final long MILLI = 1_000_000;

    @ParameterizedTest
    @EnumSource
    void nanos_allPolicies_computeAndWait(Policy policy) {
        try (LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
                .policy(policy)
                .parallelism(2)
                .maxSpareWorkers(0)
                .build()) {
            MapReduce.nanos(scheduler, Task.mapReduce(1000, 10, 0));
            MapReduce.nanos(scheduler, Task.sweep(333, 10, 0.75, 1000));

            assertTrue(MapReduce.nanos(scheduler, Task.mapReduce(1, 10, 20 * MILLI)) >= 20 * MILLI);
        }
    }

    @Test
    void nanos_classicOnOneWorker_waitsForEveryLeaf() {
        try (LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
                .policy(Policy.CLASSIC)
                .parallelism(1)
                .maxSpareWorkers(0)
                .build()) {
            assertTrue(MapReduce.nanos(scheduler, Task.mapReduce(20, 1, 5 * MILLI)) >= 20 * 5 * MILLI);
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.25, 0.5, 0.75, 1})
    void waits_share_isKept(double share) {
        Task task = Task.sweep(1000, 1, share, 1);

        assertEquals(
                Math.round(1000 * share),
                IntStream.range(0, 1000).filter(task::waits).count());
    }
}
