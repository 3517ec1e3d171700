package dev.latencyhiding.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latencyhiding.LatencyHidingScheduler;
import dev.latencyhiding.Suspension;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The Java example of the README, with a real client and a real server. */
final class ReadmeExampleTest {
    private final Set<String> parsed = ConcurrentHashMap.newKeySet();

    @Test
    @SuppressWarnings("FutureReturnValueIgnored") // as in the README; the suspension tells how it ends
    void example_closesWhenEveryPageIsParsedOnAWorker() throws IOException {
        final HttpClient client = HttpClient.newHttpClient();
        try (SlowServer server = new SlowServer(5)) {
            final List<URI> pages = IntStream.range(0, 20)
                    .mapToObj(i -> server.uri().resolve("/" + i))
                    .toList();

            try (var scheduler = LatencyHidingScheduler.builder()
                    .name("crawler")
                    .parallelism(4)
                    .build()) {
                for (URI page : pages) {
                    scheduler.execute(() -> {
                        Suspension suspension = Suspension.open();
                        client.sendAsync(HttpRequest.newBuilder(page).build(), BodyHandlers.ofString())
                                .whenComplete((response, error) -> suspension.resume(() -> parse(response)));
                    });
                }
            }

            assertEquals(20, parsed.size());
        }
    }

    private void parse(HttpResponse<String> response) {
        assertTrue(Thread.currentThread().getName().startsWith("crawler-worker-"));
        parsed.add(response.body());
    }
}
