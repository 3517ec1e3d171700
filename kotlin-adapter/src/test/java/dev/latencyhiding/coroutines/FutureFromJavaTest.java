package dev.latencyhiding.coroutines;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latencyhiding.LatencyHidingFuture;
import dev.latencyhiding.LatencyHidingScheduler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Java code that calls suspending functions, by futures. */
@Timeout(60)
class FutureFromJavaTest {
    @Test
    void coroutine_givesItsResultToStagesOnTheScheduler() throws Exception {
        final CompletableFuture<String> thread = Library.loadAsync(1)
                .thenCombineAsync(Library.loadAsync(2), (one, two) -> {
                    assertEquals("page 1, page 2", one + ", " + two);
                    return Thread.currentThread().getName();
                });
        assertTrue(thread.get().startsWith("LatencyHiding-"), thread.get());
        assertInstanceOf(LatencyHidingFuture.class, thread);
        assertSame(LatencyHidingScheduler.shared(), thread.defaultExecutor());
    }

    @Test
    void coroutine_thatThrows_failsTheFutureWithItsException() {
        final ExecutionException failed = assertThrows(
                ExecutionException.class, () -> Library.loadAsync(-1).get());
        assertInstanceOf(IllegalArgumentException.class, failed.getCause());
        assertEquals("id must not be negative: -1", failed.getCause().getMessage());
    }

    @Test
    void cancel_reachesTheCoroutine() throws Exception {
        final CountDownLatch cancelled = new CountDownLatch(1);
        assertTrue(Library.waitAsync(cancelled).cancel(false));
        assertTrue(cancelled.await(60, TimeUnit.SECONDS));
    }

    @Test
    void timeout_reachesTheCoroutine() throws Exception {
        final CountDownLatch cancelled = new CountDownLatch(1);
        final LatencyHidingFuture<String> future =
                Library.waitAsync(cancelled).completeOnTimeout("late", 1, TimeUnit.MILLISECONDS);
        assertEquals("late", future.get());
        assertTrue(cancelled.await(60, TimeUnit.SECONDS));
    }
}
