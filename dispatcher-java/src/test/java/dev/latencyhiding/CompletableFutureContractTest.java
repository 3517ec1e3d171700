package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@code CompletableFuture} promises, on the JDK's own and on ours, with a place and without. */
@Timeout(120)
@SuppressWarnings({"FutureReturnValueIgnored", "ImmutableEnumChecker"})
class CompletableFutureContractTest {
    enum Kind {
        JDK(CompletableFuture::new, CompletableFuture::supplyAsync),
        WITHOUT_PLACE(
                () -> LatencyHidingFuture.incomplete(LatencyHidingScheduler.shared()),
                LatencyHidingFuture::supplyAsync),
        WITH_PLACE(
                LatencyHidingFuture::open,
                supplier -> LatencyHidingFuture.<Integer>open().completeAsync(supplier));

        private final Supplier<CompletableFuture<Integer>> incomplete;
        private final Function<Supplier<Integer>, CompletableFuture<Integer>> supplyAsync;

        Kind(
                Supplier<CompletableFuture<Integer>> incomplete,
                Function<Supplier<Integer>, CompletableFuture<Integer>> supplyAsync) {
            this.incomplete = incomplete;
            this.supplyAsync = supplyAsync;
        }

        CompletableFuture<Integer> incomplete() {
            return incomplete.get();
        }

        CompletableFuture<Integer> supplyAsync(Supplier<Integer> supplier) {
            return supplyAsync.apply(supplier);
        }
    }

    private final IOException error = new IOException("reset");

    @ParameterizedTest
    @EnumSource
    void firstCompletion_wins(Kind kind) {
        final CompletableFuture<Integer> future = kind.incomplete();
        assertFalse(future.isDone());
        assertEquals(7, future.getNow(7));
        assertTrue(future.complete(1));
        assertFalse(future.complete(2));
        assertFalse(future.completeExceptionally(error));
        assertFalse(future.cancel(true));
        assertEquals(1, future.join());
        assertTrue(future.isDone());
        assertFalse(future.isCompletedExceptionally());
        future.obtrudeValue(3);
        assertEquals(3, future.join());
        future.obtrudeException(error);
        assertTrue(future.isCompletedExceptionally());
    }

    @ParameterizedTest
    @EnumSource
    void completeExceptionally_isReported(Kind kind) {
        final CompletableFuture<Integer> future = kind.incomplete();
        final AtomicReference<Throwable> direct = new AtomicReference<>();
        final AtomicReference<Throwable> derived = new AtomicReference<>();
        future.whenComplete((value, failure) -> direct.set(failure));
        future.thenApply(x -> x).whenComplete((value, failure) -> derived.set(failure));
        assertTrue(future.completeExceptionally(error));
        assertSame(error, assertThrows(ExecutionException.class, future::get).getCause());
        assertSame(error, assertThrows(CompletionException.class, future::join).getCause());
        assertSame(error, direct.get());
        assertSame(
                error,
                assertInstanceOf(CompletionException.class, derived.get()).getCause());
        assertEquals(5, future.exceptionally(failure -> 5).join());
    }

    @ParameterizedTest
    @EnumSource
    void supplierThatThrows_isReportedWrapped(Kind kind) {
        final IllegalStateException thrown = new IllegalStateException("no");
        final CompletableFuture<Integer> future = kind.supplyAsync(() -> {
            throw thrown;
        });
        assertSame(thrown, assertThrows(ExecutionException.class, future::get).getCause());
        final AtomicReference<Throwable> seen = new AtomicReference<>();
        future.whenComplete((value, failure) -> seen.set(failure));
        assertSame(
                thrown, assertInstanceOf(CompletionException.class, seen.get()).getCause());
    }

    @ParameterizedTest
    @EnumSource
    void supplierThatThrowsCompletionException_isNotWrappedAgain(Kind kind) {
        final CompletionException wrapped = new CompletionException(error);
        final CompletableFuture<Integer> future = kind.supplyAsync(() -> {
            throw wrapped;
        });
        assertSame(wrapped, assertThrows(CompletionException.class, future::join));
    }

    @ParameterizedTest
    @EnumSource
    void cancel_isExceptionalAndReachesDependents(Kind kind) {
        final CompletableFuture<Integer> future = kind.incomplete();
        final CompletableFuture<Integer> dependent = future.thenApply(x -> x + 1);
        assertTrue(future.cancel(true));
        assertTrue(future.cancel(false), "again");
        assertTrue(future.isCancelled());
        assertTrue(future.isCompletedExceptionally());
        assertThrows(CancellationException.class, future::join);
        assertThrows(CancellationException.class, future::get);
        assertFalse(dependent.isCancelled(), "it failed because its source was cancelled");
        assertInstanceOf(
                CancellationException.class,
                assertThrows(CompletionException.class, dependent::join).getCause());
    }

    @ParameterizedTest
    @EnumSource
    void cancelDependent_leavesTheSource(Kind kind) {
        final CompletableFuture<Integer> future = kind.incomplete();
        assertTrue(future.thenApply(x -> x).cancel(false));
        assertFalse(future.isDone());
        future.complete(1);
    }

    @ParameterizedTest
    @EnumSource
    void inlineStages_runOnTheCompletingThread_lastRegisteredFirst(Kind kind) {
        final CompletableFuture<Integer> future = kind.incomplete();
        final List<String> order = Collections.synchronizedList(new ArrayList<>());
        final Thread me = Thread.currentThread();
        future.thenRun(() -> order.add("a" + (Thread.currentThread() == me)));
        future.thenRun(() -> order.add("b" + (Thread.currentThread() == me)));
        future.complete(1);
        assertEquals(List.of("btrue", "atrue"), order);
        assertEquals(0, future.getNumberOfDependents());
    }

    @ParameterizedTest
    @EnumSource
    void asyncStages_areMarkedAsSuchAndRunOnTheDefaultExecutor(Kind kind) throws Exception {
        final CompletableFuture<Integer> future = kind.incomplete();
        final Thread me = Thread.currentThread();
        final CompletableFuture<Boolean> elsewhere = future.thenApplyAsync(x -> Thread.currentThread() != me);
        future.complete(1);
        assertTrue(elsewhere.get(60, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @EnumSource
    void explicitExecutor_isUsed(Kind kind) {
        final CompletableFuture<Integer> future = kind.incomplete();
        final AtomicInteger used = new AtomicInteger();
        final CompletableFuture<Void> stage = future.thenRunAsync(() -> {}, task -> {
            assertInstanceOf(CompletableFuture.AsynchronousCompletionTask.class, task);
            used.incrementAndGet();
            task.run();
        });
        future.complete(1);
        stage.join();
        assertEquals(1, used.get());
    }

    @ParameterizedTest
    @EnumSource
    void compositions_bothSidesAndEither(Kind kind) {
        final CompletableFuture<Integer> one = kind.incomplete();
        final CompletableFuture<Integer> two = kind.incomplete();
        final CompletableFuture<Integer> both = one.thenCombineAsync(two, Integer::sum);
        final CompletableFuture<Integer> either = one.applyToEitherAsync(two, x -> x);
        final CompletableFuture<Integer> composed = one.thenComposeAsync(x -> two.thenApplyAsync(y -> x * y));
        two.complete(3);
        assertEquals(3, either.join());
        assertFalse(both.isDone());
        one.complete(2);
        assertEquals(5, both.join());
        assertEquals(6, composed.join());
    }

    @ParameterizedTest
    @EnumSource
    void exceptionOfAStage_goesToItsDependentsOnly(Kind kind) {
        final CompletableFuture<Integer> future = kind.incomplete();
        final CompletableFuture<Integer> failing = future.thenApplyAsync(x -> {
            throw new IllegalStateException("stage");
        });
        final CompletableFuture<String> handled =
                failing.handle((x, e) -> e.getCause().getMessage());
        future.complete(1);
        assertEquals("stage", handled.join());
        assertEquals(1, future.join());
    }

    @ParameterizedTest
    @EnumSource
    void timeouts_completeWhatIsNotDone(Kind kind) {
        final CompletableFuture<Integer> late = kind.incomplete().orTimeout(1, TimeUnit.MILLISECONDS);
        assertInstanceOf(
                TimeoutException.class,
                assertThrows(ExecutionException.class, late::get).getCause());
        assertEquals(
                4,
                kind.incomplete().completeOnTimeout(4, 1, TimeUnit.MILLISECONDS).join());
        final CompletableFuture<Integer> inTime = kind.incomplete();
        assertSame(inTime, inTime.orTimeout(1, TimeUnit.HOURS));
        assertSame(inTime, inTime.completeOnTimeout(9, 1, TimeUnit.HOURS));
        inTime.complete(1);
        assertEquals(1, inTime.join());
        assertEquals(
                2, kind.incomplete().completeOnTimeout(2, -1, TimeUnit.SECONDS).join());
    }

    @ParameterizedTest
    @EnumSource
    void copy_isDefensive(Kind kind) {
        final CompletableFuture<Integer> future = kind.incomplete();
        final CompletableFuture<Integer> copy = future.copy();
        copy.cancel(false);
        assertFalse(future.isDone());
        assertTrue(future.complete(1));
    }

    @ParameterizedTest
    @EnumSource
    void get_interruptedOrTimedOut_leavesTheFuture(Kind kind) {
        final CompletableFuture<Integer> future = kind.incomplete();
        assertThrows(TimeoutException.class, () -> future.get(1, TimeUnit.MILLISECONDS));
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, future::get);
        assertFalse(future.isDone());
        future.complete(1);
    }

    @ParameterizedTest
    @EnumSource
    void racingCompleters_oneWinsAndEveryStageRunsOnce(Kind kind) throws Exception {
        for (int round = 0; round < Await.scaled(500, 100_000); round++) {
            final CompletableFuture<Integer> future = kind.incomplete();
            final AtomicInteger stages = new AtomicInteger();
            final CompletableFuture<Void> first =
                    future.handleAsync((x, e) -> stages.incrementAndGet()).thenRunAsync(stages::incrementAndGet);
            final CountDownLatch registered = new CountDownLatch(1);
            final AtomicInteger wins = new AtomicInteger();
            final List<CompletableFuture<Void>> racers = new ArrayList<>();
            racers.add(CompletableFuture.runAsync(() -> count(wins, future.complete(1))));
            racers.add(CompletableFuture.runAsync(() -> count(wins, future.completeExceptionally(error))));
            final CompletableFuture<Void> second =
                    future.handleAsync((x, e) -> null).thenRun(registered::countDown);
            for (CompletableFuture<Void> racer : racers) {
                racer.get(60, TimeUnit.SECONDS);
            }
            first.get(60, TimeUnit.SECONDS);
            second.get(60, TimeUnit.SECONDS);
            assertEquals(1, wins.get());
            assertEquals(2, stages.get());
            Await.latch(registered);
        }
    }

    private static void count(AtomicInteger wins, boolean won) {
        if (won) {
            wins.incrementAndGet();
        }
    }
}
