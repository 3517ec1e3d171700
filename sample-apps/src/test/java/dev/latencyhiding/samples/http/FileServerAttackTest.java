package dev.latencyhiding.samples.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The file server with clients that mean harm: none gets out of the directory, none keeps others from being served. */
final class FileServerAttackTest {
    private static final int HEAD_MILLIS = 300;
    private static final String HOST = "\r\nHost: localhost\r\n\r\n";

    @TempDir
    Path outside;

    private FileServer server;

    @BeforeEach
    void start() throws IOException {
        final Path root = Files.createDirectories(outside.resolve("root"));
        Files.writeString(outside.resolve("secret"), "secret");
        Files.createDirectory(outside.resolve("root-beside"));
        Files.writeString(outside.resolve("root-beside").resolve("secret"), "secret");
        Files.writeString(root.resolve("open.txt"), "open");
        Files.writeString(root.resolve(".hidden"), "secret");
        Files.createDirectory(root.resolve("sub"));
        Files.createSymbolicLink(root.resolve("link-out"), outside.resolve("secret"));
        Files.createSymbolicLink(root.resolve("link-dir"), outside);
        Files.createSymbolicLink(root.resolve("link-beside"), outside.resolve("root-beside"));
        Files.createSymbolicLink(root.resolve("link-relative"), Path.of("../secret"));
        Files.createSymbolicLink(root.resolve("link-loop"), Path.of("link-loop"));
        Files.createSymbolicLink(root.resolve("link-in"), Path.of("open.txt"));
        server = FileServer.start(
                root,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new Limits(4096, HEAD_MILLIS, 2_000, 64));
    }

    @AfterEach
    void stop() throws IOException {
        assertEquals("open", ask("/open.txt").text(), "it still serves");
        server.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/../secret",
                "/%2e%2e/secret",
                "/%2E./secret",
                "/..%2fsecret",
                "/..%2Fsecret",
                "/%2e%2e%2fsecret",
                "/sub/../../secret",
                "/sub/%2e%2e/%2e%2e/secret",
                "/..%5csecret",
                "/..\\secret",
                "/%252e%252e/secret",
                "/..;/secret",
                "/....//secret",
                "//../secret",
                "/./../secret",
                "/..%00/secret",
                "/open.txt%00",
                "/open.txt%00.html",
                "/%c0%ae%c0%ae/secret",
                "/%c0%af..%c0%afsecret",
                "/%e0%80%ae./secret",
                "/%uff0e%uff0e/secret",
                "/\u00e4",
                "/%",
                "/%2",
                "/%zz",
                "/%-1",
                "/.hidden",
                "/%2ehidden",
                "/link-out",
                "/link-dir/",
                "/link-dir/secret",
                "/link-beside/secret",
                "/link-relative",
                "/link-loop",
                "/etc/passwd",
                "//etc/passwd",
                "/file:///etc/passwd",
                "/open.txt%0d%0aX-Injected:%20yes",
                "http://localhost/../secret",
                "http://localhost",
                "http://",
                "file:///etc/passwd",
                "../secret",
                "secret",
                "*",
                "/#/../secret"
            })
    void get_wayOut_isRefused(String target) throws IOException {
        final RawClient.Answer answer = ask(target);

        assertFalse(answer.text().contains("secret\n") || answer.text().equals("secret"), answer.text());
        assertFalse(answer.text().contains("root:"), answer.text());
        assertFalse(answer.headers().containsKey("x-injected"));
        final boolean isRoot = target.startsWith("http://") && !target.contains("..");
        assertTrue(isRoot || answer.status() == 400 || answer.status() == 404, target + ": " + answer.status());
    }

    @Test
    void get_linkInside_isFollowed() throws IOException {
        assertEquals("open", ask("/link-in").text());
        assertEquals("open", ask("http://anything/open.txt").text());
        assertFalse(ask("/").text().contains(".hidden"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /open.txt\r\n\r\n",
                "GET  /open.txt HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /open.txt HTTP/1.1 x\r\nHost: x\r\n\r\n",
                "GET /open.txt FTP/1.1\r\nHost: x\r\n\r\n",
                "G T /open.txt HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /open.txt HTTP/1.1\r\n\r\n",
                "GET /open.txt HTTP/1.1\nHost: x\n\n",
                "GET /open.txt HTTP/1.1\r\nHost: x\nX: y\r\n\r\n",
                "GET /open.txt HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
                "GET /open.txt HTTP/1.1\r\nHost : x\r\n\r\n",
                "GET /open.txt HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n",
                "GET /open.txt HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
                "GET /open.txt HTTP/1.1\r\nHost: x\r\n: no name\r\n\r\n",
                "GET /open.txt HTTP/1.1\r\nHost: x\r\nX: a\u0000b\r\n\r\n",
                "GET /open.txt HTTP/1.1\r\nHost: x\r\nX: a\rb\r\n\r\n",
                "GET /open.txt HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "\r\nGET /open.txt HTTP/1.1\r\nHost: x\r\n\r\n",
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\r\n\r\n"
            })
    void request_malformed_is400AndTheConnectionEnds(String request) throws IOException {
        try (RawClient raw = new RawClient(server.getAddress())) {
            raw.send(request);
            assertEquals(400, raw.read(true).status());
            assertTrue(raw.isClosedByServer());
        }
    }

    @Test
    void request_notSupported_saysSo() throws IOException {
        assertStatus(405, "POST /open.txt HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
        assertStatus(405, "DELETE /open.txt HTTP/1.1\r\nHost: x\r\n\r\n");
        assertStatus(413, "GET /open.txt HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
        assertStatus(505, "GET /open.txt HTTP/2.0\r\nHost: x\r\n\r\n");
        assertStatus(505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        assertTrue(Files.exists(outside.resolve("root").resolve("open.txt")));
    }

    @Test
    void request_smuggledInABody_isNotAnswered() throws IOException {
        try (RawClient raw = new RawClient(server.getAddress())) {
            raw.send("GET /open.txt HTTP/1.1\r\nHost: x\r\nContent-Length: 40\r\n\r\nGET /open.txt HTTP/1.1" + HOST);
            assertEquals(413, raw.read(true).status());
            assertTrue(raw.isClosedByServer());
        }
    }

    @Test
    void request_tooLarge_isRefusedWithoutReadingAllOfIt() throws IOException {
        assertStatus(414, "GET /" + "x".repeat(5_000) + " HTTP/1.1" + HOST);
        assertStatus(414, "x".repeat(100_000));
        assertStatus(431, "GET /open.txt HTTP/1.1\r\nHost: x\r\nX: " + "y".repeat(5_000) + "\r\n\r\n");
        assertStatus(431, "GET /open.txt HTTP/1.1\r\nHost: x\r\n" + "X: y\r\n".repeat(2_000) + "\r\n");
        final StringBuilder many = new StringBuilder("GET /open.txt HTTP/1.1\r\nHost: x\r\n");
        for (int i = 0; i < 150; i++) {
            many.append("x").append(i).append(": y\r\n");
        }
        assertStatus(431, many + "\r\n");
    }

    @Test
    void request_slow_endsInTime() throws IOException {
        try (RawClient raw = new RawClient(server.getAddress())) {
            final long begun = System.nanoTime();
            raw.send("GET /open.txt HTTP/1.1\r\nX: ");
            assertEquals(408, raw.read(true).status());
            assertTrue(raw.isClosedByServer());
            assertTrue(System.nanoTime() - begun >= TimeUnit.MILLISECONDS.toNanos(HEAD_MILLIS));
        }
        // One that sends a byte now and then.
        try (RawClient raw = new RawClient(server.getAddress())) {
            final byte[] head =
                    ("GET /open.txt HTTP/1.1\r\nX: " + "y".repeat(10_000)).getBytes(StandardCharsets.US_ASCII);
            boolean ended = false;
            for (int i = 0; i < head.length && !ended; i++) {
                try {
                    raw.send(new byte[] {head[i]});
                    TimeUnit.MILLISECONDS.sleep(5); // the attack itself
                } catch (IOException e) {
                    ended = true;
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            assertTrue(ended || raw.isClosedByServer());
        }
        // One that keeps a connection and never asks again: no answer, just the end.
        try (RawClient raw = new RawClient(server.getAddress())) {
            raw.send("GET /open.txt HTTP/1.1" + HOST);
            assertEquals("open", raw.read(true).text());
            assertTrue(raw.isClosedByServer());
        }
    }

    @Test
    void manySlowClients_othersAreServedWhenTheyAreGone() throws IOException {
        final List<RawClient> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 100; i++) { // more than may be connected
                final RawClient raw = new RawClient(server.getAddress());
                slow.add(raw);
                raw.send("GET /open.txt HTTP/1.1\r\nX: ");
            }
            assertEquals("open", ask("/open.txt").text());
        } finally {
            for (final RawClient raw : slow) {
                raw.close();
            }
        }
    }

    @Test
    void clientThatDoesNotRead_isCutOff() throws IOException {
        final Path large = outside.resolve("root").resolve("large");
        try (java.io.RandomAccessFile sparse = new java.io.RandomAccessFile(large.toFile(), "rw")) {
            sparse.setLength(200L << 20);
        }
        try (RawClient raw = new RawClient(server.getAddress())) {
            raw.send("GET /large HTTP/1.1" + HOST);
            assertEquals("open", ask("/open.txt").text());
            try {
                TimeUnit.MILLISECONDS.sleep(3_000); // longer than a block may take
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            final long sent = raw.skipToEnd();
            assertTrue(sent >= 0 && sent < 200L << 20, "sent " + sent);
        }
    }

    @Test
    void randomBytes_neverHarm() throws IOException {
        final Random random = new Random(11);
        for (int i = 0; i < 100; i++) {
            final byte[] noise = new byte[random.nextInt(2_000)];
            random.nextBytes(noise);
            try (RawClient raw = new RawClient(server.getAddress())) {
                raw.send(noise);
            }
        }
        assertEquals("open", ask("/open.txt").text());
    }

    private void assertStatus(int status, String request) throws IOException {
        assertEquals(status, RawClient.ask(server.getAddress(), request).status(), request);
    }

    private RawClient.Answer ask(String target) throws IOException {
        return RawClient.ask(server.getAddress(), "GET " + target + " HTTP/1.1" + HOST);
    }
}
