package dev.latencyhiding.benchmarks.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class EventQueueTest {
    private final EventQueue events = new EventQueue();

    @Test
    void take_randomOrder_isByTime() {
        Random random = new Random(1);
        PriorityQueue<Integer> expected = new PriorityQueue<>();
        for (int i = 0; i < 20_000; i++) {
            if (expected.isEmpty() || random.nextInt(5) > 1) {
                // The subject is the time, so that both are checked.
                int time = random.nextInt(10_000);
                expected.add(time);
                events.addFinish(time, time);
            } else {
                assertEquals(expected.peek().longValue(), events.time());
                assertEquals(expected.remove(), events.take());
            }
        }
        while (!expected.isEmpty()) {
            assertEquals(expected.remove(), events.take());
        }
        assertTrue(events.isEmpty());
    }

    @Test
    void take_atTheSameTime_latenciesEndBeforeNodes() {
        events.addFinish(5, 1);
        events.addResume(5, 2);

        assertTrue(events.isResume());
        assertEquals(2, events.take());
        assertFalse(events.isResume());
        assertEquals(1, events.take());
    }

    @Test
    void time_empty_fails() {
        assertThrows(NoSuchElementException.class, events::time);
    }
}
