package dev.latencyhiding.nio;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latencyhiding.LatencyHidingFuture;
import dev.latencyhiding.LatencyHidingScheduler;
import dev.latencyhiding.SchedulerStats;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files in Java: the same as in Kotlin, as futures, whose stages run on the deque that started the operation. */
final class AsyncFilesTest {
    private final LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
            .name("java")
            .parallelism(1)
            .maxSpareWorkers(0)
            .build();

    @TempDir
    Path directory;

    @AfterEach
    void nothingIsLeft() {
        scheduler.close(); // which waits for open suspensions
        final SchedulerStats stats = scheduler.stats();
        assertEquals(0, stats.openSuspensions(), stats::toString);
        assertEquals(0, stats.suspendedDeques(), stats::toString);
    }

    @Test
    void wholeFiles_roundTrip() {
        final Path file = directory.resolve("file");
        final byte[] bytes = new byte[300_000];
        bytes[299_999] = 7;
        assertNull(get(AsyncFiles.writeBytes(file, bytes)));
        assertArrayEquals(bytes, get(AsyncFiles.readBytes(file)));
        get(AsyncFiles.writeText(file, "grün"));
        get(AsyncFiles.writeText(file, "!", StandardCharsets.UTF_8, StandardOpenOption.APPEND));
        assertEquals("grün!", get(AsyncFiles.readText(file)));
        assertEquals("grün!", get(AsyncFiles.readText(file, StandardCharsets.UTF_8, 6)));
        assertError(
                IOException.class, AsyncFiles.readText(file, StandardCharsets.UTF_8, 5), "more than the limit of 5");
        assertError(
                MalformedFileException.class, AsyncFiles.readText(file, StandardCharsets.US_ASCII), "US-ASCII at 2");
    }

    @Test
    void errors_completeTheFuture() {
        final Path none = directory.resolve("none");
        assertError(
                NoSuchFileException.class, AsyncFiles.readBytes(none), none + ": cannot read: there is no such file");
        assertError(NoSuchFileException.class, AsyncFiles.open(none), "cannot open");
        assertError(IllegalArgumentException.class, AsyncFiles.readBytes(none, -1), "limit must be from 0");
        assertThrows(NullPointerException.class, () -> get(AsyncFiles.readBytes(null)));
    }

    @Test
    void forEachLine_inOrderOnAWorker() throws IOException {
        final Path file = directory.resolve("lines");
        final List<String> lines = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            lines.add("line " + i);
        }
        Files.write(file, lines);
        final List<String> seen = new ArrayList<>();

        final long count = get(onScheduler(() -> AsyncFiles.forEachLine(file, line -> {
            assertOnWorker();
            seen.add(line);
        })));

        assertEquals(lines.size(), count);
        assertEquals(lines, seen);
        assertError(
                IllegalStateException.class,
                AsyncFiles.forEachLine(file, line -> {
                    throw new IllegalStateException("not this one: " + line);
                }),
                "not this one: line 0");
        assertError(
                TooLongLineException.class,
                AsyncFiles.forEachLine(file, line -> {}, StandardCharsets.UTF_8, 5),
                "line 1 is longer than 5 characters");
    }

    @Test
    void openFile_readsWritesAndLocks() {
        final Path path = directory.resolve("open");
        final AsyncFile file = get(
                AsyncFiles.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE));
        try (file) {
            assertEquals(path, file.path());
            assertEquals(4, get(file.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), 10)));
            assertEquals(14, get(file.size()));
            final ByteBuffer buffer = ByteBuffer.allocate(10);
            assertEquals(4, get(file.read(buffer, 10)));
            assertEquals(4, buffer.get(3));
            assertEquals(-1, get(file.read(buffer, 100)));
            get(file.force(true));
            get(file.truncate(12));
            assertEquals(12, get(file.size()));
            final FileLock lock = get(file.lock());
            assertError(OverlappingFileLockException.class, file.tryLock(), path + ": cannot lock");
            assertError(OverlappingFileLockException.class, file.lock(0, 1, true), path + ": cannot lock");
            release(lock);
            final FileLock second = get(file.tryLock(0, 5, false));
            assertNotNull(second);
            release(second);
        }
        assertFalse(file.isOpen());
        assertError(ClosedChannelException.class, file.size(), path + ": cannot get the size: it is closed");
    }

    @Test
    void stages_onAWorker_runOnTheDequeThatStartedTheOperation() throws IOException {
        final Path file = Files.writeString(directory.resolve("file"), "content");
        final SchedulerStats before = scheduler.stats();
        final CountDownLatch held = holdThePool();
        final CompletableFuture<String> result;
        try {
            result = onScheduler(() -> AsyncFiles.readText(file).thenApplyAsync(text -> {
                assertOnWorker();
                return text.toUpperCase(java.util.Locale.ROOT);
            }));
            // The node has returned: else the operation could end first, and nothing would have to come back.
            waitUntil(() -> scheduler.stats().suspendedDeques() == 1);
            assertFalse(result.isDone());
        } finally {
            held.countDown();
        }
        assertEquals("CONTENT", get(result));
        waitUntil(() -> scheduler.stats().openSuspensions() == 0);
        assertEquals(before.resumes() + 1, scheduler.stats().resumes());
        assertEquals(before.releases(), scheduler.stats().releases());
    }

    @Test
    void stages_offAWorker_runOnTheSharedScheduler() throws IOException {
        final Path file = Files.writeString(directory.resolve("file"), "content");
        final String thread = get(AsyncFiles.readText(file)
                .thenApplyAsync(text -> Thread.currentThread().getName()));
        assertTrue(thread.startsWith("LatencyHiding-worker-"), thread);
    }

    @Test
    void cancel_beforeItBegins_nothingIsDone() {
        final Path file = directory.resolve("new");
        final CountDownLatch held = holdThePool();
        try {
            final CompletableFuture<Void> write = AsyncFiles.writeText(file, "x");
            final CompletableFuture<AsyncFile> open =
                    AsyncFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            assertTrue(write.cancel(true));
            assertTrue(open.cancel(true));
            assertTrue(write.isCancelled());
        } finally {
            held.countDown();
        }
        get(AsyncFiles.writeText(directory.resolve("other"), "y")); // the pool is through with what came before
        assertFalse(Files.exists(file));
    }

    private <T> CompletableFuture<T> onScheduler(Supplier<CompletableFuture<T>> operation) {
        return CompletableFuture.completedFuture(null).thenComposeAsync(none -> operation.get(), scheduler);
    }

    private static CountDownLatch holdThePool() {
        final int threads = FileThreads.threads(System.getProperty(AsyncFiles.THREADS_PROPERTY));
        final CountDownLatch holding = new CountDownLatch(threads);
        final CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < threads; i++) {
            final var unused = FileTask.start("hold", Path.of("a thread"), task -> {
                holding.countDown();
                awaitQuietly(end);
                return null;
            });
        }
        awaitQuietly(holding);
        return end;
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void assertOnWorker() {
        final String thread = Thread.currentThread().getName();
        assertTrue(thread.startsWith("java-worker-"), thread);
    }

    private static void assertError(Class<? extends Throwable> type, LatencyHidingFuture<?> future, String message) {
        final CompletionException e = assertThrows(CompletionException.class, () -> get(future));
        final Throwable error = assertInstanceOf(type, e.getCause());
        assertTrue(error.getMessage().contains(message), error.getMessage());
    }

    private static void release(FileLock lock) {
        try {
            lock.release();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static <T> T get(CompletableFuture<T> future) {
        return future.orTimeout(60, TimeUnit.SECONDS).join();
    }

    private static void waitUntil(BooleanSupplier condition) {
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "not within a minute");
            Thread.onSpinWait();
        }
    }
}
