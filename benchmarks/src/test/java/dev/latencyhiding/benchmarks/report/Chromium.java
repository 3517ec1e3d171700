package dev.latencyhiding.benchmarks.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A headless Chromium with one tab, driven over its DevTools protocol. */
final class Chromium implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern LISTENING = Pattern.compile("DevTools listening on ws://([^/]+)/");
    /** Only bounds a failure. */
    private static final int TIMEOUT_SECONDS = 60;

    private final Process process;
    private final WebSocket socket;
    private final AtomicInteger ids = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> replies = new ConcurrentHashMap<>();
    private final List<JsonNode> events = Collections.synchronizedList(new ArrayList<>());
    private volatile CompletableFuture<Void> loaded = new CompletableFuture<>();

    private Chromium(Process process, WebSocketSource source) throws Exception {
        this.process = process;
        socket = source.connect(new Listener());
    }

    private interface WebSocketSource {
        WebSocket connect(WebSocket.Listener listener) throws Exception;
    }

    /** The browser of this machine: the environment variable CHROMIUM, or one of the usual names on the path. */
    static Optional<Path> find() {
        Stream<Path> named = Stream.ofNullable(System.getenv("CHROMIUM")).map(Path::of);
        Stream<Path> onPath = Stream.of(System.getenv("PATH").split(":"))
                .flatMap(directory -> Stream.of(
                                "chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
                        .map(name -> Path.of(directory, name)));
        return Stream.concat(named, onPath).filter(Files::isExecutable).findFirst();
    }

    static Chromium start(Path executable, Path profile) throws Exception {
        Process process = new ProcessBuilder(
                        executable.toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--hide-scrollbars",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            String address = address(process);
            HttpClient http = HttpClient.newHttpClient();
            HttpResponse<String> tabs = http.send(
                    HttpRequest.newBuilder(URI.create("http://" + address + "/json/list"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            String url = JSON.readTree(tabs.body())
                    .get(0)
                    .get("webSocketDebuggerUrl")
                    .asText();
            Chromium chromium = new Chromium(
                    process,
                    listener -> http.newWebSocketBuilder()
                            .buildAsync(URI.create(url), listener)
                            .get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
            for (String domain : List.of("Page", "Network", "Runtime", "Log")) {
                chromium.call(domain + ".enable", Map.of());
            }
            return chromium;
        } catch (Exception e) {
            process.destroyForcibly();
            throw e;
        }
    }

    private static String address(Process process) throws IOException {
        BufferedReader errors = process.errorReader();
        StringBuilder read = new StringBuilder();
        for (String line = errors.readLine(); line != null; line = errors.readLine()) {
            Matcher matcher = LISTENING.matcher(line);
            if (matcher.find()) {
                // The browser must not block on a full pipe.
                Thread drain = new Thread(() -> errors.lines().forEach(ignored -> {}), "chromium-stderr");
                drain.setDaemon(true);
                drain.start();
                return matcher.group(1);
            }
            read.append(line).append('\n');
        }
        throw new IOException("Chromium did not start:\n" + read);
    }

    /** Opens a page in this colour scheme and waits until it is loaded. */
    void open(URI page, String colourScheme, int width) throws Exception {
        events.clear();
        call(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", colourScheme))));
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", false));
        loaded = new CompletableFuture<>();
        call("Page.navigate", Map.of("url", page.toString()));
        loaded.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    /** A PNG of the whole page. */
    byte[] screenshot() throws Exception {
        JsonNode reply = call("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true));
        return reply.get("data").binaryValue();
    }

    /** The value of a JavaScript expression. */
    JsonNode evaluate(String expression) throws Exception {
        JsonNode reply = call("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true));
        return reply.get("result").get("value");
    }

    /** The addresses the page asked for, itself included. */
    List<String> requests() {
        return parameters("Network.requestWillBeSent")
                .map(event -> event.get("request").get("url").asText())
                .toList();
    }

    /** What the page wrote to the console, exceptions and the browser's own complaints. */
    List<String> complaints() {
        return Stream.of("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
                .flatMap(this::parameters)
                .map(JsonNode::toString)
                .toList();
    }

    private Stream<JsonNode> parameters(String method) {
        return List.copyOf(events).stream()
                .filter(event -> event.get("method").asText().equals(method))
                .map(event -> event.get("params"));
    }

    private JsonNode call(String method, Map<String, ?> parameters) throws Exception {
        int id = ids.incrementAndGet();
        ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
        message.set("params", JSON.valueToTree(parameters));
        CompletableFuture<JsonNode> reply = new CompletableFuture<>();
        replies.put(id, reply);
        socket.sendText(message.toString(), true).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        JsonNode answer = reply.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        if (answer.has("error")) {
            throw new IOException(method + ": " + answer.get("error"));
        }
        return answer.get("result");
    }

    @Override
    public void close() {
        // Asked politely, it leaves no links behind in its profile.
        socket.sendText("{\"id\":0,\"method\":\"Browser.close\"}", true).join();
        process.onExit()
                .completeOnTimeout(process, TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .thenAccept(Process::destroyForcibly)
                .join();
        socket.abort();
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                String message = text.toString();
                text.setLength(0);
                try {
                    receive(JSON.readTree(message));
                } catch (IOException e) {
                    replies.values().forEach(reply -> reply.completeExceptionally(e));
                }
            }
            webSocket.request(1);
            return null;
        }

        private void receive(JsonNode message) {
            if (message.has("id")) {
                CompletableFuture<JsonNode> reply =
                        replies.remove(message.get("id").asInt());
                if (reply != null) {
                    reply.complete(message);
                }
                return;
            }
            events.add(message);
            if (message.get("method").asText().equals("Page.loadEventFired")) {
                loaded.complete(null);
            }
        }
    }
}
