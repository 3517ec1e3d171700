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
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code invoke} and {@code invokeAll}: both sides run once, whoever runs them, and every exception is kept. */
@ParameterizedClass
@EnumSource
@Timeout(180)
class ForkJoinTest {
    @Parameter
    Policy policy;

    private LatencyHidingScheduler scheduler(int parallelism) {
        return ForkJoinTrees.scheduler(policy, parallelism);
    }

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
                scheduler.invoke(() -> Await.spinUntil(right::isDone), () -> right.complete(Thread.currentThread()));
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
            Await.spinUntil(shutDown::get);
            return ForkJoinTrees.sum(scheduler, 1 << 12);
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
                            () -> scheduler.invoke(() -> {}, () -> {
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
                    scheduler.invoke(() -> Await.spinUntil(began::get), () -> {
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
    void exceptions_ofLeftAndStolenRightSide_areKept() throws Exception {
        try (LatencyHidingScheduler scheduler = scheduler(2)) {
            final AtomicBoolean began = new AtomicBoolean();
            final AtomicBoolean leftThrows = new AtomicBoolean();
            final IllegalStateException left = new IllegalStateException("left");
            final IllegalArgumentException right = new IllegalArgumentException("right");
            final Throwable thrown = Await.onWorker(
                    scheduler,
                    () -> assertThrows(
                            IllegalStateException.class,
                            () -> scheduler.invoke(
                                    () -> {
                                        Await.spinUntil(began::get);
                                        leftThrows.set(true);
                                        throw left;
                                    },
                                    () -> {
                                        began.set(true);
                                        Await.spinUntil(leftThrows::get);
                                        throw right;
                                    })));
            assertSame(left, thrown);
            assertArrayEquals(new Throwable[] {right}, thrown.getSuppressed());
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

    @Test
    void cancellation_onTheLeft_waitsForAStolenRightSide() throws Exception {
        try (LatencyHidingScheduler scheduler = scheduler(2)) {
            final AtomicBoolean began = new AtomicBoolean();
            final AtomicBoolean leftThrows = new AtomicBoolean();
            final AtomicBoolean ended = new AtomicBoolean();
            final AtomicBoolean nestedRan = new AtomicBoolean();
            final boolean endedBefore = Await.onWorker(scheduler, () -> {
                assertThrows(
                        CancellationException.class,
                        () -> scheduler.invoke(
                                () -> {
                                    Await.spinUntil(began::get);
                                    leftThrows.set(true);
                                    throw new CancellationException();
                                },
                                () -> {
                                    began.set(true);
                                    Await.spinUntil(leftThrows::get);
                                    scheduler.invoke(() -> {}, () -> nestedRan.set(true)); // begun, so it goes on
                                    ended.set(true);
                                }));
                return ended.get();
            });
            assertTrue(endedBefore);
            assertTrue(nestedRan.get());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void cancellation_amongManyNodes_isThrownWhenAllThatBeganHaveEnded(int parallelism) {
        try (LatencyHidingScheduler scheduler = scheduler(parallelism)) {
            final AtomicInteger running = new AtomicInteger();
            final AtomicInteger ran = new AtomicInteger();
            final Runnable[] nodes = new Runnable[1_000];
            Arrays.fill(nodes, (Runnable) () -> {
                running.incrementAndGet();
                Thread.onSpinWait();
                ran.incrementAndGet();
                running.decrementAndGet();
            });
            nodes[300] = () -> {
                throw new CancellationException();
            };
            assertThrows(CancellationException.class, () -> scheduler.invokeAll(nodes));
            assertEquals(0, running.get());
            assertTrue(ran.get() >= 300, "those before it: " + ran);
        }
    }
}
