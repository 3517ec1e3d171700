package dev.latencyhiding.benchmarks.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The judge of the simulations must see what is wrong. The dag: 0 (2 units), then 1 after 5 units, and 2 spawned. */
final class ScheduleTest {
    private Schedule schedule;

    @BeforeEach
    void buildDag() {
        DagBuilder builder = new DagBuilder();
        builder.node(2);
        builder.node(1);
        builder.node(3);
        builder.await(0, 1, 5);
        builder.spawn(0, 2);
        schedule = new Schedule(builder.build());
        schedule.started(0, 0, 0);
    }

    @Test
    void check_correctSchedule_passes() {
        schedule.started(1, 0, 7);
        schedule.started(2, 1, 2);

        schedule.check();
        assertEquals(8, schedule.makespan());
    }

    @Test
    void check_nodeLeftOut_fails() {
        schedule.started(1, 0, 7);

        assertMessage("node 2 never ran");
    }

    @Test
    void started_twice_fails() {
        assertThrows(IllegalStateException.class, () -> schedule.started(0, 1, 9));
    }

    @Test
    void check_nodeBeforeItsParentEnds_fails() {
        schedule.started(1, 0, 7);
        schedule.started(2, 1, 1);

        assertMessage("node 2 started at 1, its parent 0 ended at 2");
    }

    @Test
    void check_nodeBeforeItsLatencyIsOver_fails() {
        schedule.started(1, 0, 6);
        schedule.started(2, 1, 2);

        assertMessage("node 1 started at 6, its parent 0 ended at 2, the latency between them is 5");
    }

    @Test
    void check_workerWithTwoNodesAtOnce_fails() {
        schedule.started(1, 1, 7);
        schedule.started(2, 1, 6);

        assertMessage("worker 1 started node 1 at 7 while it was busy until 9");
    }

    private void assertMessage(String start) {
        String message =
                assertThrows(IllegalStateException.class, schedule::check).getMessage();
        assertTrue(message.startsWith(start), message);
    }
}
