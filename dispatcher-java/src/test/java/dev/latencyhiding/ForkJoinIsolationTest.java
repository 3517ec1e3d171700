package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Inside {@code invoke} a worker runs parts of what it waits for, and nothing else. */
@ParameterizedClass
@EnumSource
@Timeout(180)
class ForkJoinIsolationTest {
    @Parameter
    Policy policy;

    private LatencyHidingScheduler scheduler(int parallelism) {
        return ForkJoinTrees.scheduler(policy, parallelism);
    }

    // ---- nothing foreign runs inside ----

    /** A lock held across a parallel section, and nodes elsewhere that need it: helping with those would deadlock. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void lockHeldAcrossInvoke_doesNotDeadlock_andRunsNoForeignNode(int parallelism) throws Exception {
        try (LatencyHidingScheduler scheduler = scheduler(parallelism)) {
            final ReentrantLock lock = new ReentrantLock();
            final AtomicInteger inside = new AtomicInteger();
            final AtomicReference<String> foreign = new AtomicReference<>();
            final int nodes = Await.scaled(200, 20_000);
            final CountDownLatch done = new CountDownLatch(nodes);
            final Runnable node = () -> {
                lock.lock();
                try {
                    if (lock.getHoldCount() > 1) {
                        foreign.set("a node ran inside another on " + Thread.currentThread());
                    }
                    inside.incrementAndGet();
                    assertEquals(64, ForkJoinTrees.sum(scheduler, 64));
                    inside.decrementAndGet();
                } finally {
                    lock.unlock();
                    done.countDown();
                }
            };
            for (int i = 0; i < nodes / 2; i++) {
                scheduler.execute(node);
            }
            scheduler.execute(() -> {
                for (int i = 0; i < nodes / 2; i++) {
                    scheduler.execute(node);
                }
            });
            Await.latch(done);
            assertSame(null, foreign.get());
            assertEquals(0, inside.get());
        }
    }

    /** The left side spawns: the spawned node is above the fork in the deque, and must not run inside invoke. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void nodesSpawnedByTheLeft_doNotRunInsideInvoke(int parallelism) throws Exception {
        try (LatencyHidingScheduler scheduler = scheduler(parallelism)) {
            final ThreadLocal<Boolean> insideInvoke = ThreadLocal.withInitial(() -> false);
            final AtomicBoolean foreign = new AtomicBoolean();
            final AtomicInteger rights = new AtomicInteger();
            final int rounds = Await.scaled(2_000, 200_000);
            final CountDownLatch spawned = new CountDownLatch(rounds);
            Await.onWorker(scheduler, () -> {
                for (int i = 0; i < rounds; i++) {
                    insideInvoke.set(true);
                    scheduler.invoke(
                            () -> scheduler.execute(() -> {
                                if (insideInvoke.get()) {
                                    foreign.set(true);
                                }
                                spawned.countDown();
                            }),
                            rights::incrementAndGet);
                    insideInvoke.set(false);
                }
                return null;
            });
            Await.latch(spawned);
            assertFalse(foreign.get());
            assertEquals(rounds, rights.get());
        }
    }

    // ---- suspensions inside ----

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void suspension_openedInEitherSide_isNotWaitedForAndComesBack(int parallelism) throws Exception {
        try (LatencyHidingScheduler scheduler = scheduler(parallelism)) {
            final int rounds = Await.scaled(300, 30_000);
            final CountDownLatch cameBack = new CountDownLatch(2 * rounds);
            for (int i = 0; i < rounds; i++) {
                final List<Suspension> open = Collections.synchronizedList(new ArrayList<>());
                final boolean returned = Await.onWorker(scheduler, () -> {
                    scheduler.execute(() -> {}); // so that the deque is not empty when it is suspended
                    scheduler.invoke(() -> open.add(Suspension.open()), () -> open.add(Suspension.open()));
                    return open.size() == 2;
                });
                assertTrue(returned);
                open.forEach(suspension -> suspension.resume(cameBack::countDown));
            }
            Await.latch(cameBack);
            Await.until("no open suspension", () -> scheduler.stats().openSuspensions() == 0);
        }
    }

    @Test
    void suspension_ofTheLeft_resumedBeforeInvokeReturns_runsOnAnotherWorker() throws Exception {
        assumeTrue(policy != Policy.CLASSIC, "what comes back waits for the worker that opened the suspension");
        try (LatencyHidingScheduler scheduler = scheduler(2)) {
            final AtomicBoolean continued = new AtomicBoolean();
            Await.onWorker(scheduler, () -> {
                scheduler.invoke(
                        () -> {
                            final Suspension suspension = Suspension.open();
                            Await.thread(() -> suspension.resume(() -> continued.set(true)));
                            Await.spinUntil(continued::get);
                        },
                        () -> {});
                return null;
            });
            assertTrue(continued.get());
        }
    }

    // ---- waiting ----

    /** The stolen side forks in turn, and only the worker that waits for it is there to steal that fork back. */
    @Test
    void join_insideAStolenFork_isHelpedByTheWorkerThatWaitsForIt() throws Exception {
        try (LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
                .policy(policy)
                .parallelism(2)
                .maxSpareWorkers(0)
                .build()) {
            for (int i = 0; i < 100; i++) {
                final AtomicBoolean began = new AtomicBoolean();
                final AtomicReference<Thread> thief = new AtomicReference<>();
                final AtomicReference<Thread> inner = new AtomicReference<>();
                final Thread joiner = Await.onWorker(scheduler, () -> {
                    scheduler.invoke(() -> Await.spinUntil(began::get), () -> {
                        thief.set(Thread.currentThread());
                        began.set(true);
                        scheduler.invoke(
                                () -> Await.spinUntil(() -> inner.get() != null),
                                () -> inner.set(Thread.currentThread()));
                    });
                    return Thread.currentThread();
                });
                assertNotSame(joiner, thief.get());
                assertSame(joiner, inner.get());
            }
        }
    }

    /** As above, three forks deep: a worker waits inside what it stole back from the one that waits for it. */
    @Test
    void joins_insideEachOther_ofWorkersThatStealBack_allEnd() throws Exception {
        try (LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
                .policy(policy)
                .parallelism(2)
                .maxSpareWorkers(0)
                .build()) {
            for (int i = 0; i < 100; i++) {
                final List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
                Await.onWorker(scheduler, () -> {
                    forkUntilStolen(scheduler, 4, threads);
                    return null;
                });
                assertEquals(5, threads.size());
                for (int j = 1; j < threads.size(); j++) {
                    assertNotSame(threads.get(j - 1), threads.get(j));
                }
            }
        }
    }

    private static void forkUntilStolen(LatencyHidingScheduler scheduler, int depth, List<Thread> threads) {
        threads.add(Thread.currentThread());
        if (depth > 0) {
            final int before = threads.size();
            scheduler.invoke(
                    () -> Await.spinUntil(() -> threads.size() > before),
                    () -> forkUntilStolen(scheduler, depth - 1, threads));
        }
    }

    @Test
    void join_ofALongStolenSide_isInterruptible_onlyAfterwards() throws Exception {
        try (LatencyHidingScheduler scheduler = scheduler(2)) {
            final AtomicBoolean began = new AtomicBoolean();
            final AtomicBoolean end = new AtomicBoolean();
            final AtomicReference<Thread> joiner = new AtomicReference<>();
            final LatencyHidingFuture<Boolean> interruptedAfterwards = scheduler.supply(() -> {
                joiner.set(Thread.currentThread());
                scheduler.invoke(() -> Await.spinUntil(began::get), () -> {
                    began.set(true);
                    Await.spinUntil(end::get);
                });
                assertTrue(end.get(), "invoke has returned before both sides were done");
                return Thread.interrupted();
            });
            Await.until("it waits", () -> isWaiting(joiner.get()));
            joiner.get().interrupt();
            Await.until("it still waits", () -> isWaiting(joiner.get()));
            end.set(true);
            assertTrue(interruptedAfterwards.get(60, TimeUnit.SECONDS));
        }
    }

    @Test
    void join_ofALongStolenSide_isCompensatedByASpareWorker() throws Exception {
        try (LatencyHidingScheduler scheduler = scheduler(2)) {
            final AtomicBoolean began = new AtomicBoolean();
            final CountDownLatch other = new CountDownLatch(1);
            final LatencyHidingFuture<Void> tree = LatencyHidingFuture.incomplete(scheduler);
            scheduler.execute(() -> {
                scheduler.invoke(() -> Await.spinUntil(began::get), () -> {
                    began.set(true);
                    Await.spinUntil(() -> other.getCount() == 0); // needs a third worker
                });
                tree.complete(null);
            });
            Await.until("stolen", began::get);
            scheduler.execute(other::countDown);
            tree.get(60, TimeUnit.SECONDS);
        }
    }

    private static boolean isWaiting(Thread thread) {
        return thread != null
                && (thread.getState() == Thread.State.TIMED_WAITING || thread.getState() == Thread.State.WAITING);
    }
}
