package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code invoke} and {@code invokeAll}: both sides run once, whoever runs them, and nothing else does. */
@Timeout(180)
@SuppressWarnings("FutureReturnValueIgnored")
class ForkJoinTest {
    private static LatencyHidingScheduler scheduler(int parallelism) {
        return LatencyHidingScheduler.builder()
                .name("fork-join")
                .parallelism(parallelism)
                .build();
    }

    private static void nothing() {}

    // ---- who runs it ----

    @Test
    void rightSide_notStolen_runsOnTheCallersThreadAfterTheLeft() throws Exception {
        try (LatencyHidingScheduler scheduler = scheduler(1)) {
            final List<Thread> threads = new ArrayList<>();
            Await.onWorker(scheduler, () -> {
                scheduler.invoke(() -> threads.add(Thread.currentThread()), () -> threads.add(Thread.currentThread()));
                threads.add(Thread.currentThread());
                return null;
            });
            assertEquals(3, threads.size());
            assertEquals(1, threads.stream().distinct().count());
        }
    }

    @Test
    void rightSide_whileTheLeftComputes_isStolen() throws Exception {
        try (LatencyHidingScheduler scheduler = scheduler(2)) {
            final CompletableFuture<Thread> right = new CompletableFuture<>();
            final Thread left = Await.onWorker(scheduler, () -> {
                scheduler.invoke(() -> spinUntil(right::isDone), () -> right.complete(Thread.currentThread()));
                return Thread.currentThread();
            });
            assertNotSame(left, right.join());
        }
    }

    @Test
    void invoke_offWorker_runsBothOnWorkersAndWaits() {
        try (LatencyHidingScheduler scheduler = scheduler(2)) {
            final AtomicInteger onWorkers = new AtomicInteger();
            final Runnable count = () -> onWorkers.addAndGet(Worker.current(scheduler.core()) == null ? 0 : 1);
            scheduler.invoke(count, count);
            assertEquals(2, onWorkers.get());
            scheduler.invokeAll(count);
            scheduler.invokeAll(count, count, count);
            scheduler.invokeAll();
            assertEquals(6, onWorkers.get());
        }
    }

    @Test
    void invoke_onAWorkerOfAnotherScheduler_runsOnItsOwn() throws Exception {
        try (LatencyHidingScheduler scheduler = scheduler(1);
                LatencyHidingScheduler other = scheduler(1)) {
            final AtomicInteger onWorkers = new AtomicInteger();
            final Runnable count = () -> onWorkers.addAndGet(Worker.current(scheduler.core()) == null ? 0 : 1);
            Await.onWorker(other, () -> {
                scheduler.invoke(count, count);
                return null;
            });
            assertEquals(2, onWorkers.get());
        }
    }

    @Test
    void invoke_afterClose_isRejectedOffWorkers() {
        final LatencyHidingScheduler scheduler = scheduler(1);
        scheduler.close();
        assertThrows(RejectedExecutionException.class, () -> scheduler.invoke(() -> {}, () -> {}));
        assertThrows(NullPointerException.class, () -> scheduler.invoke(null, () -> {}));
        assertThrows(NullPointerException.class, () -> scheduler.invoke(() -> {}, null));
        assertThrows(NullPointerException.class, () -> scheduler.invokeAll(() -> {}, null));
    }

    @Test
    void invoke_insideANodeThatOutlivesShutdownNow_finishes() throws Exception {
        final LatencyHidingScheduler scheduler = scheduler(2);
        final CountDownLatch began = new CountDownLatch(1);
        final AtomicBoolean shutDown = new AtomicBoolean();
        final LatencyHidingFuture<Integer> sum = scheduler.supply(() -> {
            began.countDown();
            spinUntil(shutDown::get);
            return sum(scheduler, 1 << 12);
        });
        Await.latch(began);
        scheduler.shutdownNow();
        shutDown.set(true);
        assertEquals(1 << 12, sum.get(60, TimeUnit.SECONDS));
        assertTrue(scheduler.awaitTermination(60, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void invokeAll_manyNodes_eachRunsOnce(int parallelism) {
        try (LatencyHidingScheduler scheduler = scheduler(parallelism)) {
            final AtomicInteger[] runs = IntStream.range(0, 10_000)
                    .mapToObj(i -> new AtomicInteger())
                    .toArray(AtomicInteger[]::new);
            final Runnable[] nodes = new Runnable[runs.length];
            for (int i = 0; i < runs.length; i++) {
                nodes[i] = runs[i]::incrementAndGet;
            }
            scheduler.invokeAll(nodes);
            assertArrayEquals(
                    onesOf(runs.length),
                    Arrays.stream(runs).mapToInt(AtomicInteger::get).toArray());
        }
    }

    private static int[] onesOf(int length) {
        return IntStream.range(0, length).map(i -> 1).toArray();
    }

    @Test
    void invokeAllCallables_onTheOnlyWorker_needNoSpareWorker() throws Exception {
        try (LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
                .parallelism(1)
                .maxSpareWorkers(0)
                .build()) {
            final List<Integer> values = Await.onWorker(scheduler, () -> {
                final List<Integer> got = new ArrayList<>();
                final List<Callable<Integer>> tasks = List.of(() -> 1, () -> 2, () -> 3);
                for (Future<Integer> future : scheduler.invokeAll(tasks)) {
                    got.add(future.get());
                }
                return got;
            });
            assertEquals(List.of(1, 2, 3), values);
        }
    }

    @ParameterizedTest
    @EnumSource(Policy.class)
    void invoke_onEveryPolicy_runsEveryLeaf_alsoWithSuspensionsInside(Policy policy) {
        final int leaves = Await.scaled(1 << 12, 1 << 18);
        final AtomicInteger resumed = new AtomicInteger();
        try (LatencyHidingScheduler scheduler =
                LatencyHidingScheduler.builder().parallelism(2).policy(policy).build()) {
            assertEquals(leaves, scheduler.supply(() -> sum(scheduler, leaves)).join());
            scheduler.invoke(
                    () -> scheduler.delay(1, TimeUnit.MILLISECONDS).thenRunAsync(resumed::incrementAndGet),
                    () -> scheduler.delay(1, TimeUnit.MILLISECONDS).thenRunAsync(resumed::incrementAndGet));
        }
        assertEquals(2, resumed.get());
    }

    // ---- exceptions ----

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void exceptions_ofBothSides_areKept(int parallelism) {
        try (LatencyHidingScheduler scheduler = scheduler(parallelism)) {
            final IllegalStateException left = new IllegalStateException("left");
            final IllegalArgumentException right = new IllegalArgumentException("right");
            final Throwable thrown = assertThrows(
                    IllegalStateException.class,
                    () -> scheduler.invoke(
                            () -> {
                                throw left;
                            },
                            () -> {
                                throw right;
                            }));
            assertSame(left, thrown);
            assertSame(right, thrown.getSuppressed()[0]);
            assertEquals(1, thrown.getSuppressed().length);
            assertSame(
                    right,
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> scheduler.invoke(ForkJoinTest::nothing, () -> {
                                throw right;
                            })));
            assertEquals(0, scheduler.stats().nodesFailed());
        }
    }

    @Test
    void exception_ofStolenRightSide_isThrownByInvoke() throws Exception {
        try (LatencyHidingScheduler scheduler = scheduler(2)) {
            final AtomicBoolean began = new AtomicBoolean();
            final IOException error = new IOException("checked, and thrown all the same");
            final Throwable thrown = Await.onWorker(scheduler, () -> {
                try {
                    scheduler.invoke(() -> spinUntil(began::get), () -> {
                        began.set(true);
                        Theft.<RuntimeException>rethrow(error);
                    });
                    return null;
                } catch (Throwable caught) { // a checked one that is not declared
                    return caught;
                }
            });
            assertSame(error, thrown);
        }
    }

    @Test
    void sameException_ofBothSides_isThrownOnce() {
        try (LatencyHidingScheduler scheduler = scheduler(1)) {
            final IllegalStateException error = new IllegalStateException("both");
            final Runnable thrower = () -> {
                throw error;
            };
            assertSame(error, assertThrows(IllegalStateException.class, () -> scheduler.invoke(thrower, thrower)));
            assertEquals(0, error.getSuppressed().length);
        }
    }

    @Test
    void cancellation_onTheLeft_doesNotBeginTheRight() {
        try (LatencyHidingScheduler scheduler = scheduler(1)) {
            final AtomicBoolean ran = new AtomicBoolean();
            assertThrows(
                    CancellationException.class,
                    () -> scheduler.invoke(
                            () -> {
                                throw new CancellationException();
                            },
                            () -> ran.set(true)));
            assertFalse(ran.get());
        }
    }

    // ---- depth ----

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void recursion_withoutEnd_overflowsAndTheWorkerGoesOn(int parallelism) {
        try (LatencyHidingScheduler scheduler = scheduler(parallelism)) {
            for (int i = 0; i < 5; i++) {
                final AtomicInteger depth = new AtomicInteger();
                assertThrows(StackOverflowError.class, () -> endless(scheduler, depth));
                assertTrue(depth.get() > 300, "depth " + depth);
            }
            assertEquals(
                    1 << 10, scheduler.supply(() -> sum(scheduler, 1 << 10)).join());
        }
    }

    private static void endless(LatencyHidingScheduler scheduler, AtomicInteger depth) {
        depth.incrementAndGet();
        scheduler.invoke(() -> endless(scheduler, depth), () -> endless(scheduler, depth));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void recursion_threeHundredDeep_onEitherSide_returns(int parallelism) {
        try (LatencyHidingScheduler scheduler = scheduler(parallelism)) {
            final AtomicInteger leaves = new AtomicInteger();
            scheduler.invoke(() -> deep(scheduler, 300, true, leaves), () -> deep(scheduler, 300, false, leaves));
            assertEquals(602, leaves.get());
        }
    }

    private static void deep(LatencyHidingScheduler scheduler, int depth, boolean onTheLeft, AtomicInteger leaves) {
        if (depth == 0) {
            leaves.incrementAndGet();
            return;
        }
        final Runnable on = () -> deep(scheduler, depth - 1, onTheLeft, leaves);
        scheduler.invoke(onTheLeft ? on : leaves::incrementAndGet, onTheLeft ? leaves::incrementAndGet : on);
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
                    assertEquals(64, sum(scheduler, 64));
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
                    scheduler.execute(ForkJoinTest::nothing); // so that the deque is not empty when it is suspended
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
        try (LatencyHidingScheduler scheduler = scheduler(2)) {
            final AtomicBoolean continued = new AtomicBoolean();
            Await.onWorker(scheduler, () -> {
                scheduler.invoke(
                        () -> {
                            final Suspension suspension = Suspension.open();
                            Await.thread(() -> suspension.resume(() -> continued.set(true)));
                            spinUntil(continued::get);
                        },
                        ForkJoinTest::nothing);
                return null;
            });
            assertTrue(continued.get());
        }
    }

    // ---- waiting ----

    @Test
    void join_ofALongStolenSide_isInterruptible_onlyAfterwards() throws Exception {
        try (LatencyHidingScheduler scheduler = scheduler(2)) {
            final AtomicBoolean began = new AtomicBoolean();
            final AtomicBoolean end = new AtomicBoolean();
            final AtomicReference<Thread> joiner = new AtomicReference<>();
            final LatencyHidingFuture<Boolean> interruptedAfterwards = scheduler.supply(() -> {
                joiner.set(Thread.currentThread());
                scheduler.invoke(() -> spinUntil(began::get), () -> {
                    began.set(true);
                    spinUntil(end::get);
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
                scheduler.invoke(() -> spinUntil(began::get), () -> {
                    began.set(true);
                    spinUntil(() -> other.getCount() == 0); // needs a third worker
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

    private static int sum(LatencyHidingScheduler scheduler, int leaves) {
        if (leaves == 1) {
            return 1;
        }
        final int[] results = new int[2];
        scheduler.invoke(
                () -> results[0] = sum(scheduler, leaves / 2), () -> results[1] = sum(scheduler, leaves - leaves / 2));
        return results[0] + results[1];
    }

    static void spinUntil(java.util.function.BooleanSupplier condition) {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Await.DEADLINE_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("spun in vain");
            }
            Thread.onSpinWait();
        }
    }
}
