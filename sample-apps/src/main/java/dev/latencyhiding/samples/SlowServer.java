package dev.latencyhiding.samples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A local HTTP server that answers every request after the same time, without blocking for it. */
final class SlowServer implements AutoCloseable {
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(SlowServer::daemon);
    private final Map<String, byte[]> documents = new ConcurrentHashMap<>();
    private final HttpServer server;

    SlowServer(int latencyMillis) throws IOException {
        // Else the server's second packet waits for the client's delayed acknowledgement: 40 ms.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
        server.createContext("/", exchange -> {
            final var unused = timer.schedule(() -> answer(exchange), latencyMillis, TimeUnit.MILLISECONDS);
        });
        server.start();
    }

    URI uri() {
        return URI.create("http:/" + server.getAddress());
    }

    private void answer(HttpExchange exchange) {
        try (exchange) {
            final byte[] body =
                    documents.computeIfAbsent(exchange.getRequestURI().getPath(), SlowServer::document);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        } catch (IOException e) {
            // The client went away; there is nobody to tell.
            exchange.close();
        }
    }

    private static byte[] document(String path) {
        return Documents.write(path).getBytes(StandardCharsets.US_ASCII);
    }

    private static Thread daemon(Runnable task) {
        final Thread thread = new Thread(task, "slow-server");
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public void close() {
        server.stop(0);
        timer.shutdownNow();
    }
}
