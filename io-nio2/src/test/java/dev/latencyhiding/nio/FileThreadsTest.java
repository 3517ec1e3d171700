package dev.latencyhiding.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pool that waits for the disk is bounded, and its tasks end exactly once. */
final class FileThreadsTest {
    private static final Path PATH = Path.of("a file");

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1025", "x", "", "1.5", "99999999999"})
    void threads_badProperty_isRefusedWithItsValue(String value) {
        final Exception e = assertThrows(IllegalArgumentException.class, () -> FileThreads.threads(value));
        assertEquals(
                "system property dev.latencyhiding.files.threads must be a number from 1 to 1024: " + value,
                e.getMessage());
    }

    @Test
    void threads_goodProperty_isTaken() {
        assertEquals(16, FileThreads.threads(null));
        assertEquals(1, FileThreads.threads("1"));
        assertEquals(1024, FileThreads.threads(" 1024 "));
    }

    @Test
    void pool_manyTasks_usesItsThreadsOnlyAndRunsAll() throws InterruptedException {
        final ThreadPoolExecutor pool = FileThreads.pool(3);
        final CountDownLatch gate = new CountDownLatch(1);
        final CountDownLatch running = new CountDownLatch(3);
        final Set<Thread> threads = ConcurrentHashMap.newKeySet();
        final List<FileTask<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            final int number = i;
            tasks.add(FileTask.start(pool, "try", PATH, task -> {
                threads.add(Thread.currentThread());
                running.countDown();
                awaitQuietly(gate);
                return number;
            }));
        }
        assertTrue(running.await(60, TimeUnit.SECONDS));
        assertEquals(47, pool.getQueue().size());
        gate.countDown();
        for (int i = 0; i < 50; i++) {
            assertEquals(i, tasks.get(i).orTimeout(60, TimeUnit.SECONDS).join());
        }
        assertEquals(3, threads.size());
        for (final Thread thread : threads) {
            assertTrue(thread.isDaemon());
            assertTrue(thread.getName().startsWith("LatencyHiding-file-"), thread.getName());
        }
        pool.shutdown();
    }

    @Test
    void cancel_queued_neverRuns() throws InterruptedException {
        final ThreadPoolExecutor pool = FileThreads.pool(1);
        final CountDownLatch gate = new CountDownLatch(1);
        final FileTask<Void> first = FileTask.start(pool, "try", PATH, task -> {
            awaitQuietly(gate);
            return null;
        });
        final AtomicInteger ran = new AtomicInteger();
        final FileTask<Integer> second = FileTask.start(pool, "try", PATH, task -> ran.incrementAndGet());

        second.cancel(true);

        assertTrue(second.isCancelled());
        gate.countDown();
        assertNull(first.orTimeout(60, TimeUnit.SECONDS).join());
        pool.shutdown();
        assertTrue(pool.awaitTermination(60, TimeUnit.SECONDS));
        assertEquals(0, ran.get());
    }

    @Test
    void cancel_running_completesWhenTheWorkStops() throws InterruptedException {
        final ThreadPoolExecutor pool = FileThreads.pool(1);
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch gate = new CountDownLatch(1);
        final FileTask<Void> task = FileTask.start(pool, "try", PATH, it -> {
            begun.countDown();
            awaitQuietly(gate);
            it.checkStopped();
            return null;
        });
        assertTrue(begun.await(60, TimeUnit.SECONDS));

        assertFalse(task.cancel(true));

        assertFalse(task.isDone());
        gate.countDown();
        assertThrows(
                CancellationException.class,
                () -> task.orTimeout(60, TimeUnit.SECONDS).join());
        pool.shutdown();
    }

    @Test
    void run_workThrowsAnError_completesWithIt() {
        final Error error = new OutOfMemoryError("too large");
        final FileTask<Void> task = FileTask.start(Runnable::run, "try", PATH, it -> {
            throw error;
        });
        assertEquals(error, task.handle((value, e) -> e).join());
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
