package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Nodes that block their thread, as old code does. Spare workers must take over, or a pool in which
 * everybody waits for a queued node would stand still for ever; and they must go again, losing nothing.
 */
@Timeout(180)
@ParameterizedClass
@EnumSource
class BlockedWorkersTest {
    private static final int PARALLELISM = 2;

    @Parameter
    Policy policy;

    private LatencyHidingScheduler scheduler() {
        return LatencyHidingScheduler.builder()
                .parallelism(PARALLELISM)
                .policy(policy)
                .build();
    }

    private static void assertShrinksAgain(LatencyHidingScheduler scheduler) {
        Await.until("spare workers retire", () -> scheduler.stats().workers() == PARALLELISM);
    }

    // ---- standstill ----

    @Test
    void futures_waitingForQueuedNodes_complete() throws Exception {
        try (LatencyHidingScheduler scheduler = scheduler()) {
            final List<Future<Integer>> outer = new ArrayList<>();
            for (int i = 0; i < 4 * PARALLELISM; i++) {
                final int number = i;
                outer.add(scheduler.submit(() -> scheduler.submit(() -> number).get()));
            }
            for (int i = 0; i < outer.size(); i++) {
                assertEquals(i, outer.get(i).get(Await.DEADLINE_SECONDS, TimeUnit.SECONDS));
            }
            assertShrinksAgain(scheduler);
        }
    }

    @Test
    void nestedFutures_fiftyDeep_complete() throws Exception {
        final AtomicInteger mostWorkers = new AtomicInteger();
        try (LatencyHidingScheduler scheduler = scheduler()) {
            final int depth = Await.onWorker(scheduler, () -> nested(scheduler, 50, mostWorkers));
            assertEquals(50, depth);
            assertTrue(mostWorkers.get() > 40, "workers: " + mostWorkers);
            assertShrinksAgain(scheduler);
            SchedulerInspector.assertMembershipAgrees(scheduler);
        }
    }

    private static int nested(LatencyHidingScheduler scheduler, int depth, AtomicInteger mostWorkers) throws Exception {
        if (depth == 0) {
            mostWorkers.set(scheduler.stats().workers());
            return 0;
        }
        // By the fair way, so that it is not the next node of the worker that waits for it.
        return 1
                + Await.<Integer>fairly(scheduler, () -> nested(scheduler, depth - 1, mostWorkers))
                        .get();
    }

    @Test
    void joinsOfOurFutures_twoHundredDeep_complete() throws Exception {
        try (LatencyHidingScheduler scheduler = scheduler()) {
            assertEquals(200, scheduler.supply(() -> joined(scheduler, 200)).get(60, TimeUnit.SECONDS));
            assertShrinksAgain(scheduler);
        }
    }

    private static int joined(LatencyHidingScheduler scheduler, int depth) {
        if (depth == 0) {
            return 0;
        }
        final LatencyHidingFuture<Integer> future = LatencyHidingFuture.incomplete(scheduler);
        scheduler.executeFairly(() -> future.complete(joined(scheduler, depth - 1)));
        return 1 + future.join();
    }

    @Test
    void lock_heldByNodeThatNeedsAWorker_isReleased() {
        final Object lock = new Object();
        final AtomicInteger ran = new AtomicInteger();
        final CountDownLatch held = new CountDownLatch(1);
        final CountDownLatch last = new CountDownLatch(1);
        try (LatencyHidingScheduler scheduler = scheduler()) {
            scheduler.execute(() -> {
                synchronized (lock) {
                    held.countDown();
                    Await.latch(last);
                }
                ran.incrementAndGet();
            });
            Await.latch(held);
            for (int i = 0; i < 5; i++) {
                scheduler.execute(() -> {
                    synchronized (lock) {
                        ran.incrementAndGet();
                    }
                });
            }
            scheduler.execute(last::countDown); // behind all who wait for the lock
        }
        assertEquals(6, ran.get());
    }

    @Test
    void latch_openedByNodeBehindAllWaiters_opens() {
        final CountDownLatch latch = new CountDownLatch(1);
        final AtomicInteger ran = new AtomicInteger();
        try (LatencyHidingScheduler scheduler = scheduler()) {
            for (int i = 0; i < 10; i++) {
                scheduler.execute(() -> {
                    Await.latch(latch);
                    ran.incrementAndGet();
                });
            }
            scheduler.execute(latch::countDown);
            Await.until("all ran", () -> ran.get() == 10);
            assertShrinksAgain(scheduler);
        }
    }

    // ---- how many ----

    @Test
    void workers_whileBlocked_growAndReturn() {
        final CountDownLatch end = new CountDownLatch(1);
        try (LatencyHidingScheduler scheduler = scheduler()) {
            for (int i = 0; i < 3 * PARALLELISM; i++) {
                scheduler.execute(() -> Await.latch(end));
            }
            Await.until("all have a worker", () -> scheduler.stats().workers() >= 3 * PARALLELISM);
            end.countDown();
            assertShrinksAgain(scheduler);
            assertEquals(3 * PARALLELISM, scheduler.stats().nodesRun(), "also those of retired workers");
        }
    }

    @Test
    void maxSpareWorkers_isNeverExceeded() {
        for (int max : new int[] {0, 1, 3}) {
            final CountDownLatch end = new CountDownLatch(1);
            final AtomicInteger started = new AtomicInteger();
            try (LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
                    .parallelism(PARALLELISM)
                    .policy(policy)
                    .maxSpareWorkers(max)
                    .build()) {
                for (int i = 0; i < 10; i++) {
                    scheduler.execute(() -> {
                        started.incrementAndGet();
                        Await.latch(end);
                    });
                }
                Await.until("all workers blocked", () -> started.get() >= PARALLELISM + max);
                assertStays(PARALLELISM + max, scheduler, started);
                end.countDown();
            }
            assertEquals(10, started.get());
        }
    }

    /** Looks for a while, some dozens of the watchdog's periods. */
    private static void assertStays(int workers, LatencyHidingScheduler scheduler, AtomicInteger started) {
        final long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(300);
        while (System.nanoTime() - end < 0) {
            assertEquals(workers, scheduler.stats().workers());
            assertEquals(workers, started.get());
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void longComputation_isNotBlocked_andGetsNoSpare() {
        final AtomicBoolean end = new AtomicBoolean();
        try (LatencyHidingScheduler scheduler = scheduler()) {
            final AtomicInteger started = new AtomicInteger();
            for (int i = 0; i < PARALLELISM; i++) {
                scheduler.execute(() -> {
                    started.incrementAndGet();
                    while (!end.get()) {
                        Thread.onSpinWait();
                    }
                });
            }
            Await.until("all busy", () -> started.get() == PARALLELISM);
            assertStays(PARALLELISM, scheduler, started);
            end.set(true);
        }
    }

    // ---- nothing is lost when they go ----

    @Test
    void nodes_leftByRetiringWorkers_run() {
        assumeFalse(policy == Policy.CLASSIC, "all workers would be blocked by what queued nodes are to resume");
        final AtomicInteger ran = new AtomicInteger();
        final int rounds = Await.scaled(15, 300);
        try (LatencyHidingScheduler scheduler = scheduler()) {
            for (int round = 0; round < rounds; round++) {
                final CountDownLatch end = new CountDownLatch(1);
                final CountDownLatch in = new CountDownLatch(6);
                for (int i = 0; i < 6; i++) {
                    scheduler.execute(() -> {
                        in.countDown();
                        Await.latch(end);
                        spawnAndSuspend(scheduler, ran);
                    });
                }
                Await.latch(in);
                end.countDown(); // now too many workers have much to do
            }
            scheduler.shutdown();
            Await.until("end of " + scheduler.stats(), scheduler::isTerminated);
            SchedulerInspector.assertQuiescent(scheduler);
        }
        assertEquals(rounds * 6 * 201, ran.get());
    }

    private static void spawnAndSuspend(LatencyHidingScheduler scheduler, AtomicInteger ran) {
        for (int i = 0; i < 100; i++) {
            scheduler.execute(() -> {
                ran.incrementAndGet();
                final Suspension suspension = Suspension.open();
                scheduler.executeFairly(() -> suspension.resume(ran::incrementAndGet));
            });
        }
        ran.incrementAndGet();
    }
}
