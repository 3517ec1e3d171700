package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where the stages of a future run, and what becomes of its timers. */
@Timeout(120)
@SuppressWarnings("FutureReturnValueIgnored")
class LatencyHidingFutureTest {
    private final LatencyHidingScheduler scheduler =
            LatencyHidingScheduler.builder().name("future").parallelism(1).build();

    @AfterEach
    void close() {
        scheduler.close();
        // After shutdownNow a timer may be a little behind.
        Await.until("no open suspension", () -> scheduler.stats().openSuspensions() == 0);
    }

    // ---- the default executor ----

    @Test
    void derivedFutures_ofEveryKind_belongToTheSameScheduler() {
        final LatencyHidingFuture<Integer> future = LatencyHidingFuture.incomplete(scheduler);
        final List<CompletableFuture<?>> derived = List.of(
                future.thenApply(x -> x),
                future.thenApplyAsync(x -> x, Runnable::run),
                future.thenCompose(x -> CompletableFuture.completedFuture(x)),
                future.thenCombine(new CompletableFuture<>(), (x, y) -> x),
                future.handle((x, e) -> x).exceptionally(e -> 0).whenComplete((x, e) -> {}),
                future.applyToEither(new CompletableFuture<>(), x -> x),
                future.copy(),
                future.newIncompleteFuture(),
                future.orTimeout(1, TimeUnit.HOURS),
                future.thenRun(() -> {}).toCompletableFuture());
        for (CompletableFuture<?> each : derived) {
            assertInstanceOf(LatencyHidingFuture.class, each);
            assertSame(scheduler, each.defaultExecutor());
        }
        future.complete(1);
    }

    @Test
    void asyncStages_withoutExecutor_runOnWorkersOnly() throws Exception {
        final List<CompletableFuture<Thread>> threads = List.of(
                scheduler.supply(() -> 1).thenApplyAsync(x -> Thread.currentThread()),
                scheduler.call(() -> 1).thenCombineAsync(scheduler.supply(() -> 2), (x, y) -> Thread.currentThread()),
                scheduler.delay(1, TimeUnit.MILLISECONDS).handleAsync((x, e) -> Thread.currentThread()),
                scheduler.supply(Thread::currentThread).thenApply(thread -> thread));
        for (CompletableFuture<Thread> thread : threads) {
            assertInstanceOf(WorkerThread.class, thread.get(60, TimeUnit.SECONDS));
        }
    }

    @Test
    void staticForms_onAWorker_belongToItsScheduler() throws Exception {
        final List<LatencyHidingFuture<?>> futures = Await.onWorker(
                scheduler,
                () -> List.of(
                        LatencyHidingFuture.supplyAsync(() -> 1),
                        LatencyHidingFuture.runAsync(() -> {}),
                        LatencyHidingFuture.completedFuture(1),
                        LatencyHidingFuture.failedFuture(new IOException("x")),
                        LatencyHidingFuture.allOf(),
                        LatencyHidingFuture.anyOf(CompletableFuture.completedFuture(1)),
                        LatencyHidingFuture.delay(0, TimeUnit.SECONDS)));
        for (LatencyHidingFuture<?> future : futures) {
            assertSame(scheduler, future.defaultExecutor());
            Await.until("done", future::isDone);
        }
        assertSame(
                LatencyHidingScheduler.shared(),
                LatencyHidingFuture.completedFuture(1).defaultExecutor());
    }

    @Test
    void minimalStage_isAStageOnTheSchedulerAndNothingElse() throws Exception {
        final LatencyHidingFuture<Integer> source = LatencyHidingFuture.incomplete(scheduler);
        final CompletionStage<Integer> stage = source.minimalCompletionStage();
        final CompletionStage<Thread> thread = stage.thenApplyAsync(x -> Thread.currentThread());
        final CompletableFuture<Integer> refused = (CompletableFuture<Integer>) stage;
        assertThrows(UnsupportedOperationException.class, refused::join);
        assertThrows(UnsupportedOperationException.class, refused::isDone);
        assertThrows(UnsupportedOperationException.class, () -> refused.complete(2));
        assertThrows(UnsupportedOperationException.class, () -> refused.cancel(true));
        assertThrows(UnsupportedOperationException.class, () -> refused.orTimeout(1, TimeUnit.SECONDS));

        source.complete(1);

        assertInstanceOf(WorkerThread.class, thread.toCompletableFuture().get(60, TimeUnit.SECONDS));
        assertEquals(1, stage.toCompletableFuture().get(60, TimeUnit.SECONDS));
        assertSame(scheduler, stage.toCompletableFuture().defaultExecutor());
    }

    @Test
    void minimalStage_ofAFailure_failsWithItsCause() {
        final LatencyHidingFuture<Integer> source = LatencyHidingFuture.incomplete(scheduler);
        final CompletionStage<Integer> stage = source.minimalCompletionStage();
        final IOException error = new IOException("reset");

        source.completeExceptionally(error);

        final CompletableFuture<Integer> future = stage.toCompletableFuture();
        assertSame(error, assertThrows(CompletionException.class, future::join).getCause());
    }

    // ---- supply and call ----

    @Test
    void call_checkedException_isTheResult() {
        final IOException error = new IOException("no");
        final LatencyHidingFuture<Object> future = scheduler.call(() -> {
            throw error;
        });

        assertSame(error, assertThrows(ExecutionException.class, future::get).getCause());
        assertSame(error, assertThrows(CompletionException.class, future::join).getCause());
        assertEquals(0, scheduler.stats().nodesFailed());
    }

    @Test
    void supply_cancelledBeforeItStarts_isNotRun() throws Exception {
        final AtomicBoolean ran = new AtomicBoolean();
        final LatencyHidingFuture<Object> future = Await.onWorker(scheduler, () -> {
            final LatencyHidingFuture<Object> supplied = scheduler.supply(() -> {
                ran.set(true);
                return 1;
            });
            supplied.cancel(false);
            return supplied;
        });
        scheduler.close();

        assertThrows(CancellationException.class, future::join);
        assertFalse(ran.get());
    }

    @Test
    void supply_afterClose_isRejected() {
        scheduler.close();
        assertThrows(RejectedExecutionException.class, () -> scheduler.supply(() -> 1));
        assertThrows(RejectedExecutionException.class, () -> scheduler.delay(1, TimeUnit.SECONDS));
    }

    @Test
    void nulls_areRefused() {
        assertThrows(NullPointerException.class, () -> scheduler.supply(null));
        assertThrows(NullPointerException.class, () -> scheduler.call(null));
        assertThrows(NullPointerException.class, () -> scheduler.delay(1, null));
        assertThrows(NullPointerException.class, () -> LatencyHidingFuture.open(null));
        assertThrows(NullPointerException.class, () -> LatencyHidingFuture.incomplete(null));
        assertThrows(NullPointerException.class, () -> LatencyHidingFuture.touch(null));
        assertThrows(NullPointerException.class, () -> LatencyHidingFuture.runAsync(null));
        final LatencyHidingFuture<String> future = LatencyHidingFuture.incomplete(scheduler);
        assertThrows(NullPointerException.class, () -> future.completeExceptionally(null));
        assertThrows(NullPointerException.class, () -> future.completeAsync(null));
        assertThrows(NullPointerException.class, () -> future.orTimeout(1, null));
    }

    // ---- timers ----

    @Test
    void delay_isNotEarly() throws Exception {
        final long begun = System.nanoTime();
        assertNull(scheduler.delay(20, TimeUnit.MILLISECONDS).get(60, TimeUnit.SECONDS));
        assertTrue(System.nanoTime() - begun >= 20_000_000);
    }

    @Test
    void delay_cancelled_closesAtOnce() {
        final LatencyHidingFuture<Void> delay = scheduler.delay(1, TimeUnit.HOURS);
        delay.cancel(false);
        scheduler.close(); // would wait for an hour
        assertTrue(delay.isCancelled());
    }

    @Test
    void delay_schedulerTerminatesBefore_failsInsteadOfLying() {
        final LatencyHidingFuture<Void> delay = scheduler.delay(1, TimeUnit.HOURS);
        scheduler.shutdownNow();
        final ExecutionException failed = assertThrows(ExecutionException.class, () -> delay.get(60, TimeUnit.SECONDS));
        assertInstanceOf(RejectedExecutionException.class, failed.getCause());
        assertTrue(failed.getMessage().contains("future"), failed.getMessage());
    }

    @Test
    void orTimeout_futureDoneBefore_withdrawsTheTimer() {
        final WeakReference<Object> value = completeWithTimeoutsSet();
        Await.until("collected, since no timer refers to it", () -> {
            System.gc();
            return value.get() == null;
        });
    }

    /** In a method of its own, lest the frame keep the value alive. */
    private WeakReference<Object> completeWithTimeoutsSet() {
        final Object result = new Object();
        final LatencyHidingFuture<Object> future = LatencyHidingFuture.incomplete(scheduler);
        future.orTimeout(1, TimeUnit.HOURS).completeOnTimeout(null, 1, TimeUnit.HOURS);
        future.complete(result);
        return new WeakReference<>(result);
    }

    @Test
    void orTimeout_onTerminatedScheduler_keepsItsTime() {
        final LatencyHidingFuture<String> late = LatencyHidingFuture.incomplete(scheduler);
        final LatencyHidingFuture<String> value = LatencyHidingFuture.incomplete(scheduler);
        final LatencyHidingFuture<String> open = LatencyHidingFuture.incomplete(scheduler);
        open.orTimeout(1, TimeUnit.HOURS);
        scheduler.close();

        late.orTimeout(1, TimeUnit.MILLISECONDS);
        value.completeOnTimeout("x", 1, TimeUnit.MILLISECONDS);

        final CompletionException timedOut = assertThrows(CompletionException.class, late::join);
        assertInstanceOf(TimeoutException.class, timedOut.getCause());
        assertEquals("x", value.join());
        assertFalse(open.isDone(), "its time has not come");
        open.complete("y");
    }
}
