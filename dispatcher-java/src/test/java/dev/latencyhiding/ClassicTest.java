package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Classic work stealing blocks its worker, no more and no less. */
@Timeout(120)
class ClassicTest {
    private final LatencyHidingScheduler scheduler = newScheduler(1);
    private final List<String> order = new CopyOnWriteArrayList<>();

    private static LatencyHidingScheduler newScheduler(int parallelism) {
        return LatencyHidingScheduler.builder()
                .parallelism(parallelism)
                .policy(Policy.CLASSIC)
                .build();
    }

    @AfterEach
    void close() {
        scheduler.close();
        SchedulerInspector.assertQuiescent(scheduler);
    }

    private Runnable step(String name) {
        return () -> order.add(name);
    }

    /** Blocks a worker; the others, if any, go on. */
    private static List<Suspension> block(LatencyHidingScheduler scheduler, int count) throws Exception {
        final List<Suspension> opened = new CopyOnWriteArrayList<>();
        Await.onWorker(scheduler, () -> {
            for (int i = 0; i < count; i++) {
                opened.add(Suspension.open());
            }
            return null;
        });
        Await.until("blocked", () -> scheduler.stats().suspendedDeques() == 1);
        return opened;
    }

    /** Fails if ClassicWorker.endNode does not block. */
    @Test
    void blockedWorker_runsTheResumedNodeBeforeAllOthers() throws Exception {
        final Suspension suspension = block(scheduler, 1).get(0);
        scheduler.execute(step("arrived"));
        scheduler.executeResumed(step("arrived as a wake-up"));
        suspension.resume(step("resumed"));
        scheduler.close();
        assertEquals(List.of("resumed", "arrived as a wake-up", "arrived"), order);
    }

    /** Fails if ClassicWorker.endNode blocks only after a node that opened suspensions itself. */
    @Test
    void blockedWorker_waitsForAllOfItsNode() throws Exception {
        final List<Suspension> opened = block(scheduler, 3);
        scheduler.execute(step("arrived"));
        opened.get(1).resume(step("first"));
        Await.until("first", () -> order.size() == 1);
        Await.until("blocked again", () -> scheduler.stats().suspendedDeques() == 1);
        opened.get(0).release();
        opened.get(2).resume(step("second"));
        scheduler.close();
        assertEquals(List.of("first", "second", "arrived"), order);
    }

    /** Fails if Classic.release does not unblock. */
    @Test
    void release_ofTheLast_unblocks() throws Exception {
        final Suspension suspension = block(scheduler, 1).get(0);
        scheduler.execute(step("arrived"));
        suspension.release();
        scheduler.close();
        assertEquals(List.of("arrived"), order);
    }

    /** Fails if ClassicWorker.stealFrom uses the deques of workers that are not blocked only. */
    @Test
    void nodes_belowTheBlockedOne_areStolen() {
        try (LatencyHidingScheduler two = newScheduler(2)) {
            final CountDownLatch stolen = new CountDownLatch(3);
            final AtomicBoolean resumed = new AtomicBoolean();
            two.execute(() -> {
                final Suspension suspension = Suspension.open();
                for (int i = 0; i < 3; i++) {
                    two.execute(stolen::countDown);
                }
                two.execute(() -> suspension.resume(() -> resumed.set(true)));
            });
            Await.latch(stolen);
            Await.until("resumed by a node that was stolen", resumed::get);
        }
    }

    /** No compensation: that is the cost this policy shows. Fails if the watchdog counts a wait as a node. */
    @Test
    void blockedWorker_getsNoSpare() throws Exception {
        final Suspension suspension = block(scheduler, 1).get(0);
        scheduler.execute(step("arrived"));
        final long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200); // many looks of the watchdog
        while (System.nanoTime() - end < 0) {
            assertEquals(1, scheduler.stats().workers());
            LockSupport.parkNanos(1_000_000);
        }
        assertEquals(List.of(), order);
        suspension.release();
    }

    /** Fails if Gate.park passes an interrupt on. */
    @Test
    void interrupt_ofBlockedWorker_isIgnored() throws Exception {
        final Suspension suspension = block(scheduler, 1).get(0);
        final AtomicBoolean leaked = new AtomicBoolean();
        scheduler.core().workers.all()[0].thread().interrupt();
        scheduler.execute(step("arrived"));
        suspension.resume(() -> leaked.set(Thread.currentThread().isInterrupted()));
        scheduler.close();
        assertFalse(leaked.get());
        assertEquals(List.of("arrived"), order);
    }

    /** Fails if Classic.abandonSuspensions does not unblock. */
    @Test
    void shutdownNow_whileBlocked_ends() throws Exception {
        final LatencyHidingScheduler three = newScheduler(3);
        block(three, 2);
        three.execute(step("arrived"));
        three.shutdownNow();
        assertTrue(three.awaitTermination(Await.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertEquals(List.of("arrived"), order);
    }
}
