package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Stealing has a floor too: nodes in the deque of a worker that computes or blocks are taken by others,
 * also when these never run out of arrivals or wake-ups.
 */
@Timeout(180)
class StarvedDequeTest {
    private final LatencyHidingScheduler scheduler =
            LatencyHidingScheduler.builder().parallelism(2).build();
    private final AtomicBoolean end = new AtomicBoolean();

    @AfterEach
    void close() {
        end.set(true);
        scheduler.close();
        SchedulerInspector.assertQuiescent(scheduler);
    }

    private void yieldForEver() {
        if (!end.get()) {
            scheduler.executeFairly(this::yieldForEver);
        }
    }

    private void wakeOther(AtomicReference<Suspension> waiting) {
        final Suspension other = waiting.getAndSet(end.get() ? null : Suspension.open());
        if (other != null) {
            other.resume(() -> wakeOther(waiting));
        }
    }

    /** A node on one worker spawns a child and spins until it ran, or until the test is over. */
    private CountDownLatch spinForChild() {
        final CountDownLatch spinning = new CountDownLatch(1);
        final CountDownLatch loadRuns = new CountDownLatch(1);
        final CountDownLatch child = new CountDownLatch(1);
        scheduler.execute(() -> {
            spinning.countDown();
            while (loadRuns.getCount() > 0) {
                Thread.onSpinWait();
            }
            scheduler.execute(child::countDown);
            while (child.getCount() > 0 && !end.get()) {
                Thread.onSpinWait();
            }
        });
        Await.latch(spinning);
        scheduler.execute(loadRuns::countDown);
        Await.latch(loadRuns);
        return child;
    }

    @Test
    void childOfSpinningNode_whileOthersYieldForEver_isStolen() {
        for (int i = 0; i < 3; i++) {
            scheduler.execute(this::yieldForEver);
        }
        Await.latch(spinForChild());
    }

    @Test
    void childOfSpinningNode_whileWakeUpsNeverEnd_isStolen() {
        for (int i = 0; i < 3; i++) {
            final AtomicReference<Suspension> waiting = new AtomicReference<>();
            scheduler.execute(() -> waiting.set(Suspension.open()));
            Await.until(
                    "one waits",
                    () -> waiting.get() != null && waiting.get().toString().startsWith("Suspension[waiting"));
            scheduler.execute(() -> wakeOther(waiting));
        }
        Await.latch(spinForChild());
    }

    @Test
    void childThatBlockedNodeWaitsFor_whileOthersYieldForEver_isStolen() throws Exception {
        for (int i = 0; i < 4; i++) {
            scheduler.execute(this::yieldForEver);
        }
        final Future<Integer> outer =
                scheduler.submit(() -> scheduler.submit(() -> 7).get());
        assertEquals(7, outer.get(Await.DEADLINE_SECONDS, TimeUnit.SECONDS));
    }
}
