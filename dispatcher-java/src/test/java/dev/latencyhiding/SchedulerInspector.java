package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;

/** Looks inside a scheduler: checks its structure when nothing runs, and describes it when it hangs. */
final class SchedulerInspector {
    private SchedulerInspector() {}

    /** Checks what must hold when every accepted node has run and no suspension is open. */
    static void assertQuiescent(LatencyHidingScheduler scheduler) {
        final SchedulerCore core = scheduler.core();
        final SchedulerStats stats = scheduler.stats();
        assertAll(
                stats + "\nNow " + describe(scheduler),
                () -> assertEquals(0, stats.openSuspensions(), "opened = resumed + released"),
                () -> assertEquals(0, stats.suspendedDeques(), "suspended deques"),
                () -> assertEquals(0, stats.resumableDeques(), "resumable deques"),
                () -> assertEquals(0, stats.muggableDeques(), "muggable deques"),
                () -> assertTrue(core.lanes.isEmpty(), "lanes are empty"),
                () -> assertFalse(core.hasWork(), "there is no work"));
        // Not at once: a nap ends by itself, and the watchdog may have meant to wake somebody for what is done by now.
        Await.until("no searchers", () -> core.idle.searchers() == 0);
        for (Worker worker : core.workers.withGuests()) {
            assertIdle(worker);
        }
        assertEquals(0, core.guests.active(), "guests");
        if (core.algorithm() instanceof Lhws lhws) {
            assertEquals(stats.activeDeques(), lhws.deques.size(), "deques that thieves can choose");
        }
    }

    private static void assertIdle(Worker worker) {
        assertAll(
                worker.toString(),
                () -> assertEquals(0, worker.set.size(), "listed deques"),
                () -> assertOwnedAndEmpty(worker.active()),
                () -> assertOwnedAndEmpty(worker.home()));
    }

    private static void assertOwnedAndEmpty(ProwsDeque deque) {
        if (deque != null) {
            assertSame(DequeState.ACTIVE, deque.state(), deque.toString());
            assertTrue(deque.isEmpty(), deque.toString());
            assertEquals(deque instanceof LhwsDeque, deque.inStealableSet(), deque.toString());
        }
    }

    /** Checks that every listed deque knows where it is listed (S1). Only while nobody changes a set. */
    static void assertMembershipAgrees(LatencyHidingScheduler scheduler) {
        for (Worker worker : scheduler.core().workers.all()) {
            for (int i = 0; i < worker.set.size(); i++) {
                final ProwsDeque deque = worker.set.get(i);
                assertSame(worker.set, deque.set, deque.toString());
                assertEquals(i, deque.indexInSet, deque.toString());
            }
        }
    }

    /** All there is to know about a scheduler that does not come to an end. */
    static String describe(LatencyHidingScheduler scheduler) {
        final SchedulerCore core = scheduler.core();
        final StringBuilder text = new StringBuilder(scheduler.stats().toString());
        text.append("\n  life cycle   ").append(core.lifeCycle);
        text.append("\n  idle         ").append(core.idle);
        text.append("\n  lanes        wake-ups=").append(core.lanes.hasWakeUps());
        text.append(", left=").append(core.lanes.hasLeft());
        text.append(", arrivals=").append(core.lanes.hasArrivals());
        text.append("\n  guests       ").append(core.guests.active());
        for (Worker worker : core.workers.withGuests()) {
            text.append("\n  ").append(worker);
            for (int i = 0; i < worker.set.size(); i++) {
                text.append("\n    listed ").append(worker.set.get(i));
            }
        }
        if (core.algorithm() instanceof Lhws lhws) {
            for (int i = 0; i < lhws.deques.size(); i++) {
                text.append("\n  in use ").append(lhws.deques.get(i));
            }
        }
        return text.append('\n').append(stacks()).toString();
    }

    /** The stacks of all threads. */
    static String stacks() {
        final StringBuilder text = new StringBuilder();
        Thread.getAllStackTraces().forEach((thread, frames) -> {
            text.append(thread).append(' ').append(thread.getState()).append('\n');
            Arrays.stream(frames)
                    .limit(20)
                    .forEach(frame -> text.append("    ").append(frame).append('\n'));
        });
        return text.toString();
    }
}
