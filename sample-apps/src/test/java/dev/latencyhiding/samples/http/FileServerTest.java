package dev.latencyhiding.samples.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file server with the clients people use: the JDK's, curl, and a browser's habits. */
final class FileServerTest {
    private static final String HOST = "\r\nHost: localhost\r\n\r\n";

    @TempDir
    Path directory;

    private final HttpClient client = HttpClient.newHttpClient();
    private FileServer server;

    @BeforeEach
    void start() throws IOException {
        Files.writeString(directory.resolve("hello.txt"), "hello, world");
        Files.writeString(directory.resolve("ä ö+%&.html"), "<p>ä");
        Files.createDirectory(directory.resolve("empty"));
        Files.createDirectory(directory.resolve("site"));
        Files.writeString(directory.resolve("site").resolve("index.html"), "<h1>Site</h1>");
        server = FileServer.start(directory, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void get_file_hasContentTypeAndLength() throws Exception {
        final HttpResponse<String> response = get("/hello.txt");

        assertEquals(200, response.statusCode());
        assertEquals("hello, world", response.body());
        assertEquals("text/plain; charset=utf-8", header(response, "content-type"));
        assertEquals("12", header(response, "content-length"));
        assertEquals("nosniff", header(response, "x-content-type-options"));
        assertTrue(header(response, "date").matches("\\w{3}, \\d\\d \\w{3} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT"));
        assertTrue(server.getAddress().getAddress().isLoopbackAddress());
    }

    @Test
    void get_encodedName_isDecoded() throws Exception {
        assertEquals("<p>ä", get("/%C3%A4%20%C3%B6+%25%26.html").body());
        assertEquals("hello, world", get("/h%65llo.txt?query=%2e%2e").body());
    }

    @Test
    void get_sizesAroundTheBuffers_areWhole() throws Exception {
        for (final int size : new int[] {0, 1, 8191, 8192, 65535, 65536, 65537, 1_000_003}) {
            final byte[] bytes = new byte[size];
            new Random(size).nextBytes(bytes);
            Files.write(directory.resolve("data"), bytes);
            final HttpResponse<byte[]> response = client.send(request("/data").build(), BodyHandlers.ofByteArray());
            assertArrayEquals(bytes, response.body(), size + " bytes");
            assertEquals("application/octet-stream", header(response, "content-type"));
        }
    }

    @Test
    void get_missing_is404AndTheConnectionGoesOn() throws IOException {
        try (RawClient raw = new RawClient(server.getAddress())) {
            raw.send("GET /none HTTP/1.1" + HOST);
            assertEquals(404, raw.read(true).status());
            raw.send("GET /hello.txt/ HTTP/1.1" + HOST);
            assertEquals(404, raw.read(true).status());
            raw.send("GET /hello.txt/below HTTP/1.1" + HOST);
            assertEquals(404, raw.read(true).status());
            raw.send("GET /" + "x".repeat(300) + " HTTP/1.1" + HOST);
            assertEquals(404, raw.read(true).status());
            raw.send("GET /hello.txt HTTP/1.1" + HOST);
            assertEquals("hello, world", raw.read(true).text());
        }
    }

    @Test
    void head_hasTheHeadersOnly() throws IOException {
        try (RawClient raw = new RawClient(server.getAddress())) {
            raw.send("HEAD /hello.txt HTTP/1.1" + HOST + "HEAD /none HTTP/1.1" + HOST + "GET /hello.txt HTTP/1.1"
                    + HOST);
            assertEquals("12", raw.read(false).headers().get("content-length"));
            assertEquals(404, raw.read(false).status());
            assertEquals("hello, world", raw.read(true).text());
        }
    }

    @Test
    void get_pipelined_isAnsweredInOrder() throws IOException {
        for (int i = 0; i < 50; i++) {
            Files.writeString(directory.resolve("n" + i), "file " + i);
        }
        try (RawClient raw = new RawClient(server.getAddress())) {
            final StringBuilder requests = new StringBuilder();
            for (int i = 0; i < 50; i++) {
                requests.append("GET /n").append(i).append(" HTTP/1.1").append(HOST);
            }
            raw.send(requests.toString());
            for (int i = 0; i < 50; i++) {
                assertEquals("file " + i, raw.read(true).text());
            }
        }
    }

    @Test
    void get_connectionHeader_isObeyed() throws IOException {
        for (final String request : List.of(
                "GET /hello.txt HTTP/1.0\r\n\r\n",
                "GET /hello.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "GET /hello.txt HTTP/1.1\r\nhOsT: x\r\nconnection: TE, Close\r\n\r\n")) {
            try (RawClient raw = new RawClient(server.getAddress())) {
                raw.send(request);
                final RawClient.Answer answer = raw.read(true);
                assertEquals("hello, world", answer.text());
                assertEquals("close", answer.headers().get("connection"));
                assertTrue(raw.isClosedByServer());
            }
        }
        try (RawClient raw = new RawClient(server.getAddress())) {
            for (int i = 0; i < 3; i++) {
                raw.send("GET /hello.txt HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
                assertEquals("keep-alive", raw.read(true).headers().get("connection"));
            }
        }
    }

    @Test
    void get_directory_redirectsThenListsOrServesItsIndex() throws Exception {
        assertEquals(301, get("/site").statusCode());
        assertEquals("/site/", header(get("/site"), "location"));
        assertEquals("<h1>Site</h1>", get("/site/").body());
        assertEquals("text/html; charset=utf-8", header(get("/site/"), "content-type"));
        assertEquals(200, get("/empty/").statusCode());
        final String listing = get("/").body();
        assertTrue(listing.contains("<a href=\"./%C3%A4%20%C3%B6%2B%25%26.html\">ä ö+%&amp;.html</a>"), listing);
        assertTrue(listing.contains("<a href=\"./site/\">site/</a>"), listing);
        // Not to another host.
        assertEquals(
                "/site/",
                RawClient.ask(server.getAddress(), "GET //site HTTP/1.1" + HOST)
                        .headers()
                        .get("location"));
    }

    @Test
    void get_unchanged_is304() throws Exception {
        final String tag = header(get("/hello.txt"), "etag");
        final HttpResponse<String> again =
                client.send(request("/hello.txt").header("If-None-Match", tag).build(), BodyHandlers.ofString());
        assertEquals(304, again.statusCode());
        assertEquals("", again.body());
        Files.writeString(directory.resolve("hello.txt"), "changed and longer");
        assertEquals(
                "changed and longer",
                client.send(request("/hello.txt").header("If-None-Match", tag).build(), BodyHandlers.ofString())
                        .body());
    }

    @Test
    void get_ranges() throws Exception {
        assertRange("bytes=0-4", 206, "hello", "bytes 0-4/12");
        assertRange("bytes=7-", 206, "world", "bytes 7-11/12");
        assertRange("bytes=-3", 206, "rld", "bytes 9-11/12");
        assertRange("bytes=-100", 206, "hello, world", "bytes 0-11/12");
        assertRange("bytes=11-100", 206, "d", "bytes 11-11/12");
        for (final String ignored : List.of("bytes=4-2", "bytes=0-1,3-4", "lines=1-2", "bytes=-", "bytes=x-1")) {
            assertRange(ignored, 200, "hello, world", null);
        }
        for (final String unsatisfiable : List.of("bytes=12-", "bytes=12-13", "bytes=-0")) {
            assertRange(unsatisfiable, 416, "416 Range Not Satisfiable\n", null);
        }
        final HttpResponse<String> changed = client.send(
                request("/hello.txt")
                        .header("Range", "bytes=0-4")
                        .header("If-Range", "\"other\"")
                        .build(),
                BodyHandlers.ofString());
        assertEquals(200, changed.statusCode());
    }

    private void assertRange(String range, int status, String body, String contentRange) throws Exception {
        final HttpResponse<String> response =
                client.send(request("/hello.txt").header("Range", range).build(), BodyHandlers.ofString());
        assertEquals(status, response.statusCode(), range);
        assertEquals(body, response.body(), range);
        assertEquals(
                contentRange, response.headers().firstValue("content-range").orElse(null), range);
    }

    @Test
    void get_manyAtATime_allAreWhole() {
        final byte[] large = new byte[300_000];
        new Random(5).nextBytes(large);
        final List<CompletableFuture<Void>> all = new ArrayList<>();
        try {
            Files.write(directory.resolve("large"), large);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        for (int i = 0; i < 200; i++) {
            all.add(client.sendAsync(request("/large").build(), BodyHandlers.ofByteArray())
                    .thenAccept(response -> assertArrayEquals(large, response.body())));
            all.add(client.sendAsync(request("/hello.txt").build(), BodyHandlers.ofString())
                    .thenAccept(response -> assertEquals("hello, world", response.body())));
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    @Test
    void get_fileShrinksMeanwhile_endsTheConnection() throws IOException {
        final Path file = directory.resolve("shrinking");
        try (java.io.RandomAccessFile sparse = new java.io.RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(200L << 20);
            try (RawClient raw = new RawClient(server.getAddress())) {
                raw.send("GET /shrinking HTTP/1.1" + HOST);
                assertEquals("209715200", raw.read(false).headers().get("content-length"));
                // More than all buffers hold: the server is in the midst of it.
                sparse.setLength(1);
                final long sent = raw.skipToEnd();
                assertTrue(sent >= 0 && sent < 200L << 20, "sent " + sent);
            }
        }
        assertEquals(
                200,
                RawClient.ask(server.getAddress(), "GET /hello.txt HTTP/1.1" + HOST)
                        .status());
    }

    @Test
    void curl_ifPresent_getsFilesAndPartsOfThem() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/curl")));
        assertEquals("hello, world", curl("/hello.txt"));
        assertEquals("hello", curl("/hello.txt", "--range", "0-4"));
        assertEquals("<h1>Site</h1>", curl("/site", "--location"));
        assertTrue(curl("/hello.txt", "--head").startsWith("HTTP/1.1 200 OK"));
        assertEquals(
                "hello, world<h1>Site</h1>", curl("/hello.txt", uri("/site/").toString()));
    }

    private String curl(String path, String... options) throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>(
                List.of("curl", "--silent", "--max-time", "60", uri(path).toString()));
        command.addAll(List.of(options));
        final Process process = new ProcessBuilder(command).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output;
    }

    @Test
    void start_badDirectoryOrAddress_isRefused() {
        final InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        assertThrows(NoSuchFileException.class, () -> FileServer.start(directory.resolve("none"), any));
        assertThrows(NotDirectoryException.class, () -> FileServer.start(directory.resolve("hello.txt"), any));
        assertThrows(IOException.class, () -> FileServer.start(directory, server.getAddress()));
        assertThrows(IllegalArgumentException.class, () -> FileServer.main(new String[] {"--port", "65536"}));
    }

    @Test
    void close_endsConnectionsAndListening() throws IOException {
        try (RawClient raw = new RawClient(server.getAddress())) {
            raw.send("GET /hello.txt HTTP/1.1" + HOST);
            raw.read(true);
            server.close();
            assertTrue(raw.isClosedByServer());
        }
        assertThrows(IOException.class, () -> new RawClient(server.getAddress()).close());
        assertFalse(Files.notExists(directory));
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(request(path).build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(uri(path));
    }

    private URI uri(String path) {
        return URI.create("http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort() + path);
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElseThrow();
    }
}
