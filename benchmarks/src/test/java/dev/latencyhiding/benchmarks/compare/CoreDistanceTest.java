package dev.latencyhiding.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class CoreDistanceTest {
    /** No cache line makes it within a nanosecond; above are slow machines, and those with much else to do. */
    @Test
    void nanos_isMeasuredIfThereAreTwoProcessors() {
        Double nanos = CoreDistance.nanos();
        assertEquals(Runtime.getRuntime().availableProcessors() > 1, nanos != null);
        assertTrue(nanos == null || nanos > 1, () -> "ns: " + nanos);
    }
}
