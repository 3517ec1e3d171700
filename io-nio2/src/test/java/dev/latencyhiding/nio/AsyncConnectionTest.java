package dev.latencyhiding.nio;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latencyhiding.LatencyHidingFuture;
import dev.latencyhiding.LatencyHidingScheduler;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sockets in Java: the same as in Kotlin, as futures, whose stages run on the deque that started the operation. */
final class AsyncConnectionTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
            .name("java")
            .parallelism(2)
            .maxSpareWorkers(0)
            .build();

    @TempDir
    Path directory;

    private AsyncServer server;
    private LatencyHidingFuture<Void> serving;

    @BeforeEach
    void startEcho() {
        server = AsyncServer.listen(ANY);
        serving = server.serve(connection -> connection.copyTo(connection));
    }

    @AfterEach
    void nothingIsLeft() {
        server.close();
        get(serving);
        scheduler.close();
        assertEquals(0, scheduler.stats().openSuspensions());
    }

    @Test
    void everyReadAndWrite() {
        try (AsyncConnection connection = get(AsyncConnection.connect(server.localAddress()))) {
            assertEquals(server.localAddress(), connection.remoteAddress());
            get(connection.write("one\r\ntw"));
            get(connection.write("o\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
            get(connection.write(ByteBuffer.wrap(new byte[] {'a', ',', 'b', 1, 2, 3, 4, 5, 6})));
            get(connection.flush());
            assertEquals(true, get(connection.request(5)));
            assertEquals("one", get(connection.readLine()));
            assertEquals("two", get(connection.readLine(100, LineEnding.LF)));
            assertArrayEquals(new byte[] {'a'}, get(connection.readUntil((byte) ',')));
            assertArrayEquals(new byte[] {'b', 1}, get(connection.readExactly(2)));
            final ByteBuffer buffer = ByteBuffer.allocate(2);
            get(connection.readExactly(buffer));
            assertEquals(2, buffer.get(0));
            assertEquals(1, get(connection.readAtLeast(ByteBuffer.allocate(1), 1)));
            assertEquals(2, get(connection.readAtLeast(ByteBuffer.allocate(2), 2)));
            get(connection.writeFully("x\ny\nz"));
            get(connection.shutdownOutput());
            final List<String> lines = new ArrayList<>();
            assertEquals(3, get(connection.forEachLine(lines::add)));
            assertEquals(List.of("x", "y", "z"), lines);
            assertNull(get(connection.readLine()));
            assertEquals(-1, get(connection.readAvailable(ByteBuffer.allocate(1))));
        }
    }

    @Test
    void pipeline_onAWorker_staysOnItsScheduler() {
        final String reply = get(onScheduler(() -> AsyncConnection.connect(server.localAddress())
                .thenComposeAsync(connection -> {
                    assertOnScheduler();
                    return connection
                            .writeFully("ping\n")
                            .thenComposeAsync(sent -> connection.readLine())
                            .thenApplyAsync(line -> {
                                assertOnScheduler();
                                return line;
                            })
                            .whenComplete((line, error) -> connection.close());
                })));
        assertEquals("ping", reply);
    }

    @Test
    void waits_areSuspensionsOnTheDequeThatStartedThem() {
        try (AsyncConnection connection = get(AsyncConnection.connect(server.localAddress()))) {
            final long resumes = scheduler.stats().resumes();
            final CompletableFuture<String> line = onScheduler(() -> connection.readLine());
            waitUntil(() -> scheduler.stats().suspendedDeques() == 1);
            get(connection.writeFully("late\n"));
            assertEquals("late", get(line));
            assertEquals(resumes + 1, scheduler.stats().resumes());
        }
    }

    @Test
    void readThatIsCancelledOrTimesOut_losesNothing() {
        try (AsyncConnection connection = get(AsyncConnection.connect(server.localAddress()))) {
            for (int i = 0; i < 100; i++) {
                final CompletableFuture<String> first = connection.readLine();
                assertTrue(first.cancel(true));
                get(connection.writeFully("line " + i + "\n"));
                assertEquals("line " + i, get(connection.readLine()));
            }
            final CompletionException e = assertThrows(
                    CompletionException.class,
                    () -> connection
                            .readLine()
                            .orTimeout(10, TimeUnit.MILLISECONDS)
                            .join());
            assertInstanceOf(TimeoutException.class, e.getCause());
            get(connection.writeFully("still here\n"));
            assertEquals("still here", get(connection.readLine()));
        }
    }

    @Test
    void connect_refused_isAConnectException() {
        server.close();
        final CompletionException e =
                assertThrows(CompletionException.class, () -> get(AsyncConnection.connect(server.localAddress())));
        assertInstanceOf(ConnectException.class, e.getCause());
    }

    @Test
    void serve_cancelled_closesServerAndConnections() {
        try (AsyncConnection connection = get(AsyncConnection.connect(server.localAddress()))) {
            get(connection.writeFully("a\n"));
            assertEquals("a", get(connection.readLine()));
            serving.cancel(true);
            assertNull(get(connection.readLine().exceptionally(error -> null))); // the end, or a reset
        }
        serving = LatencyHidingFuture.completedFuture(null);
    }

    @Test
    void rawChannels_connectReadWriteAccept() throws IOException {
        try (AsynchronousServerSocketChannel listening =
                        IoGroup.shared().openServerSocket().bind(ANY);
                AsynchronousSocketChannel client = IoGroup.shared().openSocket()) {
            final CompletableFuture<AsynchronousSocketChannel> accepted = AsyncChannels.accept(listening);
            get(AsyncChannels.connect(client, listening.getLocalAddress()));
            try (AsynchronousSocketChannel peer = get(accepted)) {
                assertEquals(3, get(AsyncChannels.write(client, ByteBuffer.wrap(new byte[] {1, 2, 3}))));
                final ByteBuffer buffer = ByteBuffer.allocate(8);
                assertEquals(3, get(AsyncChannels.read(peer, buffer)));
                client.shutdownOutput();
                assertEquals(-1, get(AsyncChannels.read(peer, buffer)));
                final CompletableFuture<Integer> read = AsyncChannels.read(client, buffer);
                assertTrue(read.cancel(true));
                waitUntil(() -> !client.isOpen());
            }
        }
        assertFalse(scheduler.isShutdown());
    }

    @Test
    void rawFileChannel_readWriteLock() throws IOException {
        try (AsynchronousFileChannel file = AsynchronousFileChannel.open(
                directory.resolve("file"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            assertEquals(2, get(AsyncChannels.write(file, ByteBuffer.wrap(new byte[] {1, 2}), 5)));
            assertEquals(2, get(AsyncChannels.read(file, ByteBuffer.allocate(9), 5)));
            assertEquals(-1, get(AsyncChannels.read(file, ByteBuffer.allocate(9), 9)));
            try (FileLock lock = get(AsyncChannels.lock(file, 0, 1, false))) {
                assertTrue(lock.isValid());
            }
        }
    }

    private <T> CompletableFuture<T> onScheduler(Supplier<CompletableFuture<T>> operation) {
        return CompletableFuture.completedFuture(null).thenComposeAsync(none -> operation.get(), scheduler);
    }

    /** On one of its workers, or as a guest on the I/O thread. */
    private void assertOnScheduler() {
        assertSame(scheduler, LatencyHidingScheduler.currentOrShared());
    }

    private static <T> T get(CompletableFuture<T> future) {
        return future.orTimeout(60, TimeUnit.SECONDS).join();
    }

    private static void waitUntil(java.util.function.BooleanSupplier condition) {
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "not within a minute");
            Thread.onSpinWait();
        }
    }
}
