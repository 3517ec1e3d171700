package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** When a scheduler that was shut down may end: all workers sleep, and nothing is left to do. */
class QuiescenceTest {
    /** Calls its worker out of its sleep while somebody looks whether there is a node in it. */
    private static final class CallingDeque extends ProwsDeque {
        private final Runnable call;

        CallingDeque(Runnable call) {
            this.call = call;
        }

        @Override
        boolean isEmpty() {
            call.run();
            return true;
        }
    }

    @Test
    void isQuiescent_allSleep() {
        final Stage stage = new Stage(1);
        stage.core.idle.announceSleep(stage.actor(0).worker.sleeper, false);
        assertTrue(stage.core.isQuiescent());
    }

    /** It could have taken a node in between, and have it now. Fails if IdleWorkers.changes is not compared. */
    @Test
    void isQuiescent_sleeperGoesOnMeanwhile_false() {
        final Stage stage = new Stage(1);
        final ProwsWorker worker = stage.actor(0).worker;
        worker.setActive(new CallingDeque(() -> stage.core.idle.cancelSleep(worker.sleeper)));
        stage.core.idle.announceSleep(worker.sleeper, false);
        assertFalse(stage.core.isQuiescent());
    }

    /** A worker of LHWS that is about to see it, before it sleeps. Fails without Workers.haveErrands. */
    @Test
    void isQuiescent_emptyDequeToBeFreed_false() {
        final SchedulerCore core =
                new SchedulerCore(new SchedulerConfig("stage", 1, Policy.LHWS, 0, true, null, 1, MonitorGate::new));
        final LhwsWorker worker = (LhwsWorker) core.algorithm().newWorker(1, 1, new MonitorGate(), false);
        core.workers.add(worker);
        final LhwsDeque deque = new LhwsDeque(worker);
        deque.tryMarkQueued();
        worker.addResumed(deque);
        core.idle.announceSleep(worker.sleeper, false);
        assertFalse(core.isQuiescent());
        assertNull(worker.next());
        assertTrue(core.isQuiescent());
    }
}
