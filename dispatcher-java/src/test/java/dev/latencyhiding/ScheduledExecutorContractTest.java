package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the JDK documents of a scheduled executor, on the JDK's own and on the view of a scheduler. */
@Timeout(120)
@SuppressWarnings("FutureReturnValueIgnored")
class ScheduledExecutorContractTest {
    private static final LatencyHidingScheduler SCHEDULER =
            LatencyHidingScheduler.builder().name("view").parallelism(2).build();

    enum Kind {
        JDK {
            @Override
            ScheduledExecutorService make() {
                return new ScheduledThreadPoolExecutor(2);
            }
        },
        VIEW {
            @Override
            ScheduledExecutorService make() {
                return SCHEDULER.asExecutorService();
            }
        };

        abstract ScheduledExecutorService make();
    }

    private final List<ScheduledExecutorService> made = new ArrayList<>();

    private ScheduledExecutorService make(Kind kind) {
        final ScheduledExecutorService executor = kind.make();
        made.add(executor);
        return executor;
    }

    @AfterEach
    void endAll() throws InterruptedException {
        for (ScheduledExecutorService executor : made) {
            executor.shutdownNow();
            assertTrue(executor.awaitTermination(60, TimeUnit.SECONDS), executor.toString());
            assertTrue(executor.isTerminated());
        }
    }

    @AfterAll
    static void close() {
        assertFalse(SCHEDULER.isShutdown(), "a view has shut its scheduler down");
        SCHEDULER.close();
    }

    // ---- tasks ----

    @ParameterizedTest
    @EnumSource
    void submit_valueAndException_areTheFuturesResult(Kind kind) throws Exception {
        final ScheduledExecutorService executor = make(kind);
        assertEquals(1, executor.submit(() -> 1).get());
        assertEquals("x", executor.submit(() -> {}, "x").get());
        final IllegalStateException error = new IllegalStateException("no");
        final Future<?> failing = executor.submit((Callable<?>) () -> {
            throw error;
        });
        assertSame(error, assertThrows(ExecutionException.class, failing::get).getCause());
    }

    @ParameterizedTest
    @EnumSource
    void invokeAllAndAny_giveAllOrOne(Kind kind) throws Exception {
        final ScheduledExecutorService executor = make(kind);
        final List<Callable<Integer>> tasks = List.of(() -> 1, () -> 2, () -> 3);
        int sum = 0;
        for (Future<Integer> future : executor.invokeAll(tasks)) {
            assertTrue(future.isDone());
            sum += future.get();
        }
        assertEquals(6, sum);
        assertTrue(List.of(1, 2, 3).contains(executor.invokeAny(tasks)));
        final Callable<Integer> failing = () -> {
            throw new IllegalStateException("no");
        };
        assertEquals(2, executor.invokeAny(List.of(failing, () -> 2)));
        assertThrows(ExecutionException.class, () -> executor.invokeAny(List.of(failing)));
        final CountDownLatch never = new CountDownLatch(1);
        final Callable<Integer> waiting = () -> {
            never.await();
            return 0;
        };
        final List<Future<Integer>> timedOut = executor.invokeAll(List.of(() -> 1, waiting), 50, TimeUnit.MILLISECONDS);
        assertTrue(timedOut.get(1).isCancelled());
        assertThrows(TimeoutException.class, () -> executor.invokeAny(List.of(waiting), 10, TimeUnit.MILLISECONDS));
    }

    @ParameterizedTest
    @EnumSource
    void schedule_isNotEarly_andHasAResult(Kind kind) throws Exception {
        final ScheduledExecutorService executor = make(kind);
        final long begun = System.nanoTime();
        final ScheduledFuture<Long> future = executor.schedule(System::nanoTime, 20, TimeUnit.MILLISECONDS);
        assertTrue(future.getDelay(TimeUnit.MILLISECONDS) <= 20);
        assertTrue(future.get() - begun >= 20_000_000);
        assertTrue(future.getDelay(TimeUnit.NANOSECONDS) <= 0);
        assertNull(executor.schedule(() -> {}, -5, TimeUnit.SECONDS).get(), "a negative delay is none");
        assertEquals(7, executor.schedule(() -> 7, 0, TimeUnit.SECONDS).get());
    }

    @ParameterizedTest
    @EnumSource
    void scheduledFutures_areOrderedByTheirTime(Kind kind) {
        final ScheduledExecutorService executor = make(kind);
        final ScheduledFuture<?> early = executor.schedule(() -> {}, 1, TimeUnit.HOURS);
        final ScheduledFuture<?> late = executor.schedule(() -> {}, 2, TimeUnit.HOURS);
        final ScheduledFuture<?> never = executor.schedule(() -> {}, Long.MAX_VALUE, TimeUnit.DAYS);
        assertTrue(early.compareTo(late) < 0);
        assertTrue(late.compareTo(early) > 0);
        assertTrue(never.getDelay(TimeUnit.DAYS) > 36_500 && never.compareTo(late) > 0);
    }

    @ParameterizedTest
    @EnumSource
    void fixedRate_catchesUp_andRunsNeverTwiceAtATime(Kind kind) {
        final ScheduledExecutorService executor = make(kind);
        final AtomicInteger runs = new AtomicInteger();
        final AtomicInteger inside = new AtomicInteger();
        final AtomicBoolean overlapped = new AtomicBoolean();
        final CountDownLatch held = new CountDownLatch(1);
        final long begun = System.nanoTime();
        final ScheduledFuture<?> future = executor.scheduleAtFixedRate(
                () -> {
                    overlapped.compareAndSet(false, inside.incrementAndGet() > 1);
                    if (runs.incrementAndGet() == 1) {
                        Await.latch(held);
                    }
                    inside.decrementAndGet();
                },
                0,
                50,
                TimeUnit.MILLISECONDS);
        Await.until("20 periods", () -> System.nanoTime() - begun > 1_000_000_000 && runs.get() == 1);
        held.countDown();
        final long released = System.nanoTime();
        Await.until("it catches up", () -> runs.get() >= 20);
        // Those that were missed run at once; at the rate alone they would take about a second from here.
        assertTrue(System.nanoTime() - released < 500_000_000);
        assertFalse(future.isDone());
        assertFalse(overlapped.get());
        assertTrue(future.cancel(false));
        assertTrue(future.isCancelled());
        assertThrows(CancellationException.class, future::get);
    }

    @ParameterizedTest
    @EnumSource
    void fixedDelay_countsFromTheEndOfEachRun(Kind kind) {
        final ScheduledExecutorService executor = make(kind);
        final List<Long> ends = Collections.synchronizedList(new ArrayList<>());
        final AtomicBoolean early = new AtomicBoolean();
        final ScheduledFuture<?> future = executor.scheduleWithFixedDelay(
                () -> {
                    if (!ends.isEmpty() && System.nanoTime() - ends.get(ends.size() - 1) < 2_000_000) {
                        early.set(true);
                    }
                    ends.add(System.nanoTime());
                },
                1,
                2,
                TimeUnit.MILLISECONDS);
        Await.until("five runs", () -> ends.size() >= 5);
        future.cancel(false);
        assertFalse(early.get());
    }

    @ParameterizedTest
    @EnumSource
    void periodicTask_thatThrows_runsNoMore(Kind kind) {
        final ScheduledExecutorService executor = make(kind);
        final AtomicInteger runs = new AtomicInteger();
        final ScheduledFuture<?> future = executor.scheduleAtFixedRate(
                () -> {
                    if (runs.incrementAndGet() == 3) {
                        throw new IllegalStateException("third");
                    }
                },
                0,
                1,
                TimeUnit.MILLISECONDS);
        final ExecutionException failed = assertThrows(ExecutionException.class, future::get);
        assertEquals("third", failed.getCause().getMessage());
        executor.shutdown();
        Await.until("terminated", executor::isTerminated);
        assertEquals(3, runs.get());
    }

    @ParameterizedTest
    @EnumSource
    void cancel_interruptsWhatRuns_andPreventsWhatWaits(Kind kind) throws Exception {
        final ScheduledExecutorService executor = make(kind);
        final CountDownLatch began = new CountDownLatch(1);
        final CountDownLatch interrupted = new CountDownLatch(1);
        final Future<?> running = executor.submit(() -> {
            began.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        });
        Await.latch(began);
        assertTrue(running.cancel(true));
        Await.latch(interrupted);
        final AtomicBoolean ran = new AtomicBoolean();
        final ScheduledFuture<?> delayed = executor.schedule(() -> ran.set(true), 20, TimeUnit.MILLISECONDS);
        assertTrue(delayed.cancel(false));
        assertFalse(delayed.cancel(false), "again");
        executor.schedule(() -> {}, 40, TimeUnit.MILLISECONDS).get();
        assertFalse(ran.get());
    }

    @ParameterizedTest
    @EnumSource
    void badArguments_areRefused(Kind kind) {
        final ScheduledExecutorService executor = make(kind);
        final Runnable task = () -> {};
        assertThrows(NullPointerException.class, () -> executor.execute(null));
        assertThrows(NullPointerException.class, () -> executor.submit((Runnable) null));
        assertThrows(NullPointerException.class, () -> executor.schedule((Runnable) null, 1, TimeUnit.SECONDS));
        assertThrows(NullPointerException.class, () -> executor.schedule((Callable<?>) null, 1, TimeUnit.SECONDS));
        assertThrows(NullPointerException.class, () -> executor.schedule(task, 1, null));
        assertThrows(NullPointerException.class, () -> executor.scheduleAtFixedRate(null, 1, 1, TimeUnit.SECONDS));
        assertThrows(NullPointerException.class, () -> executor.scheduleWithFixedDelay(task, 1, 1, null));
        assertThrows(IllegalArgumentException.class, () -> executor.scheduleAtFixedRate(task, 1, 0, TimeUnit.SECONDS));
        assertThrows(
                IllegalArgumentException.class, () -> executor.scheduleWithFixedDelay(task, 1, -1, TimeUnit.SECONDS));
    }

    // ---- the end ----

    @ParameterizedTest
    @EnumSource
    void shutdown_runsWhatIsDelayed_cancelsWhatIsPeriodic_refusesTheRest(Kind kind) throws Exception {
        final ScheduledExecutorService executor = make(kind);
        final AtomicInteger runs = new AtomicInteger();
        final Future<Integer> delayed = executor.schedule(runs::incrementAndGet, 50, TimeUnit.MILLISECONDS);
        final Future<?> periodic = executor.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.HOURS);
        final Future<?> cancelled = executor.schedule(() -> {}, 1, TimeUnit.HOURS);
        cancelled.cancel(false);
        assertFalse(executor.isShutdown());
        executor.shutdown();
        executor.shutdown();
        assertTrue(executor.isShutdown());
        assertTrue(periodic.isCancelled());
        assertThrows(RejectedExecutionException.class, () -> executor.execute(() -> {}));
        assertThrows(RejectedExecutionException.class, () -> executor.submit(() -> {}));
        assertThrows(RejectedExecutionException.class, () -> executor.schedule(() -> {}, 1, TimeUnit.SECONDS));
        assertTrue(executor.awaitTermination(60, TimeUnit.SECONDS));
        assertTrue(delayed.isDone());
        assertEquals(1, runs.get());
    }

    @ParameterizedTest
    @EnumSource
    void shutdownNow_handsBackWhatWaits_andInterruptsWhatRuns(Kind kind) throws Exception {
        final ScheduledExecutorService executor = make(kind);
        final CountDownLatch began = new CountDownLatch(1);
        final AtomicBoolean interrupted = new AtomicBoolean();
        executor.execute(() -> {
            began.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
        });
        Await.latch(began);
        final ScheduledFuture<?> delayed = executor.schedule(() -> {}, 1, TimeUnit.HOURS);
        final ScheduledFuture<?> periodic = executor.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.HOURS);
        final List<Runnable> waiting = executor.shutdownNow();
        assertTrue(executor.awaitTermination(60, TimeUnit.SECONDS));
        assertTrue(interrupted.get());
        assertEquals(2, waiting.size());
        assertTrue(waiting.contains(delayed) && waiting.contains(periodic));
        assertFalse(delayed.isDone(), "handed back, neither run nor cancelled");
    }

    @ParameterizedTest
    @EnumSource
    void awaitTermination_whileATaskRuns_timesOut(Kind kind) throws Exception {
        final ScheduledExecutorService executor = make(kind);
        final CountDownLatch end = new CountDownLatch(1);
        executor.execute(() -> Await.latch(end));
        executor.shutdown();
        assertFalse(executor.awaitTermination(5, TimeUnit.MILLISECONDS));
        assertFalse(executor.isTerminated());
        end.countDown();
        assertTrue(executor.awaitTermination(60, TimeUnit.SECONDS));
    }
}
