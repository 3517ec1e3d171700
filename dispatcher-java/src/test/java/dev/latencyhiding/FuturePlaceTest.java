package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where the first stage goes on that waited for an operation, and what becomes of the place. */
@Timeout(120)
@SuppressWarnings({"FutureReturnValueIgnored", "ImmutableEnumChecker"})
class FuturePlaceTest {
    private final LatencyHidingScheduler scheduler =
            LatencyHidingScheduler.builder().name("future").parallelism(1).build();

    @AfterEach
    void close() {
        scheduler.close();
        // After shutdownNow a timer may be a little behind.
        Await.until("no open suspension", () -> scheduler.stats().openSuspensions() == 0);
    }

    /** All ways in which an operation can end. */
    enum Ending {
        COMPLETE(future -> future.complete("x")),
        FAIL(future -> future.completeExceptionally(new IOException("reset"))),
        CANCEL(future -> future.cancel(true)),
        OBTRUDE_VALUE(future -> future.obtrudeValue("x")),
        OBTRUDE_EXCEPTION(future -> future.obtrudeException(new IOException("reset"))),
        TIMEOUT(future -> future.orTimeout(1, TimeUnit.MILLISECONDS)),
        VALUE_ON_TIMEOUT(future -> future.completeOnTimeout("x", 1, TimeUnit.MILLISECONDS)),
        ASYNC(future -> future.completeAsync(() -> "x", task -> Await.thread(task)));

        final Consumer<LatencyHidingFuture<String>> end;

        Ending(Consumer<LatencyHidingFuture<String>> end) {
            this.end = end;
        }
    }

    /** A future whose operation was started by a node that has returned, and the deque it was started on. */
    private record Started(LatencyHidingFuture<String> future, ProwsDeque deque) {}

    private Started start() throws Exception {
        final Started started = Await.onWorker(scheduler, () -> {
            scheduler.execute(() -> {}); // else the deque is empty, and any other is as good
            return new Started(
                    LatencyHidingFuture.open(), Worker.current(scheduler.core()).active());
        });
        Await.until("suspended", () -> started.deque.state() == DequeState.SUSPENDED && started.deque.isEmpty());
        return started;
    }

    @ParameterizedTest
    @EnumSource
    void asyncStage_ofOperation_goesOnWhereItWasStarted(Ending ending) throws Exception {
        final Started started = start();
        final CompletableFuture<ProwsDeque> went = new CompletableFuture<>();
        started.future.whenCompleteAsync(
                (value, error) -> went.complete(Worker.current(scheduler.core()).active()));

        ending.end.accept(started.future);

        assertSame(started.deque, went.get(60, TimeUnit.SECONDS));
        assertEquals(1, scheduler.stats().resumes());
        assertEquals(1, scheduler.stats().wakeUps());
    }

    @ParameterizedTest
    @EnumSource
    void place_withoutAsyncStage_isGivenUp(Ending ending) throws Exception {
        final Started started = start();
        final CountDownLatch inline = new CountDownLatch(1);
        started.future.whenComplete((value, error) -> inline.countDown());

        ending.end.accept(started.future);

        Await.latch(inline);
        Await.until("released", () -> scheduler.stats().releases() == 1);
        assertEquals(0, scheduler.stats().openSuspensions());
        assertEquals(0, scheduler.stats().suspendedDeques());
    }

    @Test
    void asyncStage_behindInlineOnes_goesOnAtThePlace() throws Exception {
        final Started started = start();
        final CompletableFuture<ProwsDeque> went = new CompletableFuture<>();
        started.future
                .thenApply(String::length)
                .thenCombine(CompletableFuture.completedFuture(2), Integer::sum)
                .thenAcceptAsync(
                        sum -> went.complete(Worker.current(scheduler.core()).active()));

        started.future.complete("abc");

        assertSame(started.deque, went.get(60, TimeUnit.SECONDS));
    }

    @Test
    void asyncStages_several_allRunAndOneHasThePlace() throws Exception {
        final Started started = start();
        final CountDownLatch ran = new CountDownLatch(3);
        for (int i = 0; i < 3; i++) {
            started.future.thenRunAsync(ran::countDown);
        }

        started.future.complete("x");

        Await.latch(ran);
        assertEquals(1, scheduler.stats().resumes());
    }

    @Test
    void asyncStage_onAnotherExecutor_leavesThePlaceFree() throws Exception {
        final Started started = start();
        final CompletableFuture<Thread> went = new CompletableFuture<>();
        started.future.thenRunAsync(() -> went.complete(Thread.currentThread()), Await::thread);

        started.future.complete("x");

        assertFalse(went.get(60, TimeUnit.SECONDS) instanceof WorkerThread);
        Await.until("released", () -> scheduler.stats().openSuspensions() == 0);
    }

    @Test
    void operation_doneBeforeItsNodeReturns_suspendsNothing() throws Exception {
        final boolean sameDeque = Await.onWorker(scheduler, () -> {
            final ProwsDeque deque = Worker.current(scheduler.core()).active();
            final LatencyHidingFuture<String> future = LatencyHidingFuture.open();
            Await.ended(Await.thread(() -> future.complete("x")));
            return future.thenApply(x -> Worker.current(scheduler.core()).active() == deque)
                    .join();
        });

        assertTrue(sameDeque);
        assertEquals(0, scheduler.stats().suspendedDeques());
    }

    @Test
    void severalOperations_ofOneNode_allComeBack() throws Exception {
        final CountDownLatch cameBack = new CountDownLatch(20);
        final List<LatencyHidingFuture<String>> futures = Await.onWorker(scheduler, () -> {
            final List<LatencyHidingFuture<String>> opened = Stream.<LatencyHidingFuture<String>>generate(
                            LatencyHidingFuture::open)
                    .limit(20)
                    .toList();
            opened.forEach(future -> future.thenRunAsync(cameBack::countDown));
            return opened;
        });

        futures.forEach(future -> Await.thread(() -> future.complete("x")));

        Await.latch(cameBack);
        Await.until("ended", () -> scheduler.stats().openSuspensions() == 0);
        assertEquals(20, scheduler.stats().resumes());
    }

    @Test
    void open_offWorker_keepsTheSchedulerOpenAndResumesAsWakeUp() throws Exception {
        final LatencyHidingFuture<String> future = LatencyHidingFuture.open(scheduler);
        final CompletableFuture<Boolean> onWorker = new CompletableFuture<>();
        future.thenRunAsync(() -> onWorker.complete(Worker.current(scheduler.core()) != null));
        scheduler.shutdown();
        assertFalse(scheduler.isTerminated());

        future.complete("x");

        assertTrue(onWorker.get(60, TimeUnit.SECONDS));
        assertEquals(1, scheduler.stats().wakeUps());
        assertTrue(scheduler.awaitTermination(60, TimeUnit.SECONDS));
        assertThrows(RejectedExecutionException.class, () -> LatencyHidingFuture.open(scheduler));
    }

    @Test
    void asyncStage_afterTermination_failsWithRejection() throws Exception {
        final LatencyHidingFuture<String> future = LatencyHidingFuture.incomplete(scheduler);
        final CompletableFuture<Void> stage = future.thenRunAsync(() -> {});
        scheduler.close();

        future.complete("x");

        final ExecutionException failed = assertThrows(ExecutionException.class, stage::get);
        assertInstanceOf(RejectedExecutionException.class, failed.getCause());
    }

    @Test
    void touch_stageOfAnotherLibrary_goesOnAtThePlace() throws Exception {
        final CompletableFuture<String> foreign = new CompletableFuture<>();
        final CompletableFuture<Boolean> atPlace = new CompletableFuture<>();
        scheduler.execute(() -> {
            final ProwsDeque deque = Worker.current(scheduler.core()).active();
            scheduler.execute(() -> {}); // else the deque is empty, and any other is as good
            LatencyHidingFuture.touch(foreign)
                    .thenRunAsync(() ->
                            atPlace.complete(Worker.current(scheduler.core()).active() == deque));
        });
        Await.until("suspended", () -> scheduler.stats().suspendedDeques() == 1);

        foreign.complete("x");

        assertTrue(atPlace.get(60, TimeUnit.SECONDS));
    }

    @Test
    void touch_failedStage_failsWithTheSameError() {
        final CompletableFuture<String> foreign = new CompletableFuture<>();
        final LatencyHidingFuture<String> touched = LatencyHidingFuture.touch(foreign);
        final IOException error = new IOException("reset");

        foreign.completeExceptionally(error);

        assertSame(error, assertThrows(ExecutionException.class, touched::get).getCause());
    }

    @Test
    void touch_cancelled_cancelsTheStage() {
        final CompletableFuture<String> foreign = new CompletableFuture<>();

        LatencyHidingFuture.touch(foreign).cancel(false);

        assertTrue(foreign.isCancelled());
    }

    @Test
    void allOf_operations_goesOnAtThePlaceOfTheLast() throws Exception {
        final Started first = start();
        final Started last = start();
        final CompletableFuture<ProwsDeque> went = new CompletableFuture<>();
        LatencyHidingFuture.allOf(first.future, last.future)
                .thenRunAsync(() -> went.complete(Worker.current().active()));
        // allOf was called off a worker, so that the stage is the shared scheduler's: no place of ours
        first.future.complete("x");
        last.future.complete("y");
        assertFalse(went.get(60, TimeUnit.SECONDS) == last.deque);

        final Started third = start();
        final CompletableFuture<ProwsDeque> wentHere = new CompletableFuture<>();
        Await.onWorker(
                scheduler,
                () -> LatencyHidingFuture.allOf(first.future, third.future)
                        .thenRunAsync(() -> wentHere.complete(Worker.current().active())));
        third.future.complete("z");
        assertSame(third.deque, wentHere.get(60, TimeUnit.SECONDS));
    }
}
