package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.CompletionHandler;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The examples of {@code docs/java.md}: those between the marks below are the page's, word for word, and each
 * is run. A block that is changed on one side only fails here.
 */
@Timeout(120)
@SuppressWarnings("FutureReturnValueIgnored") // examples
class JavaPageTest {
    private static final Path PAGE = Path.of("..", "docs", "java.md");
    private static final Path SOURCE = Path.of("src", "test", "java", "dev", "latencyhiding", "JavaPageTest.java");
    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern REGION =
            Pattern.compile("^ *// on the page\n(.*?)^ *// end\n", Pattern.DOTALL | Pattern.MULTILINE);

    private final Map<String, Integer> reports = new ConcurrentHashMap<>();
    private final AtomicInteger fetches = new AtomicInteger();
    private final CountDownLatch ticked = new CountDownLatch(3);
    private final List<Integer> checked = new ArrayList<>();

    private String render(int number) {
        return "page " + number;
    }

    private void report(String what, int value) {
        reports.put(what, value);
    }

    private void tick() {
        ticked.countDown();
    }

    private void check(int candidate) {
        checked.add(candidate); // one node after the other
    }

    private String fetch() {
        if (fetches.incrementAndGet() < 3) {
            throw new IllegalStateException("not yet");
        }
        return "fetched";
    }

    // ---- the page and this file ----

    @Test
    void page_hasTheseExamples_andNoOthers() throws Exception {
        final List<String> blocks = new ArrayList<>();
        for (Matcher m = BLOCK.matcher(Files.readString(PAGE)); m.find(); ) {
            blocks.add(m.group(1));
        }
        final List<String> regions = new ArrayList<>();
        for (Matcher m = REGION.matcher(Files.readString(SOURCE)); m.find(); ) {
            regions.add(m.group(1).stripTrailing().stripIndent() + "\n");
        }
        assertFalse(regions.isEmpty());
        assertEquals(String.join("----\n", regions), String.join("----\n", blocks));
    }

    // ---- futures ----

    @Test
    void supply() {
        // on the page
        try (var scheduler = LatencyHidingScheduler.builder().name("pages").build()) {
            LatencyHidingFuture<String> page = scheduler.supply(() -> render(7));
            page.thenApplyAsync(String::length).thenAccept(length -> report("page 7", length));
        } // waits until all is done
        // end
        assertEquals(Map.of("page 7", 6), reports);
    }

    // on the page
    CompletableFuture<Integer> wordsOf(HttpClient client, HttpRequest request) {
        return LatencyHidingFuture.touch(client.sendAsync(request, BodyHandlers.ofString()))
                .orTimeout(10, TimeUnit.SECONDS)
                .thenApplyAsync(response -> response.body().split(" ").length);
    }
    // end

    @Test
    void touch() throws Exception {
        final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            try (var body = exchange.getResponseBody()) {
                body.write("one two three".getBytes(StandardCharsets.UTF_8));
            }
        });
        server.start();
        try (var scheduler = LatencyHidingScheduler.builder().build()) {
            final URI uri = URI.create("http://localhost:" + server.getAddress().getPort());
            final HttpRequest request = HttpRequest.newBuilder(uri).build();
            final HttpClient client = HttpClient.newHttpClient();
            assertEquals(
                    3, Await.onWorker(scheduler, () -> wordsOf(client, request)).get(60, TimeUnit.SECONDS));
            assertEquals(3, wordsOf(client, request).get(60, TimeUnit.SECONDS));
        } finally {
            server.stop(0);
        }
    }

    // on the page
    LatencyHidingFuture<Integer> read(AsynchronousFileChannel file, ByteBuffer buffer) {
        LatencyHidingFuture<Integer> future = LatencyHidingFuture.open();
        file.read(buffer, 0, future, new CompletionHandler<>() {
            @Override
            public void completed(Integer count, LatencyHidingFuture<Integer> f) {
                f.complete(count);
            }

            @Override
            public void failed(Throwable error, LatencyHidingFuture<Integer> f) {
                f.completeExceptionally(error);
            }
        });
        return future;
    }
    // end

    @Test
    void open(@TempDir Path folder) throws Exception {
        final Path path = Files.writeString(folder.resolve("file"), "four");
        try (AsynchronousFileChannel file = AsynchronousFileChannel.open(path);
                var scheduler = LatencyHidingScheduler.builder().build()) {
            final CompletableFuture<Integer> count = Await.onWorker(
                    scheduler, () -> read(file, ByteBuffer.allocate(10)).thenApplyAsync(x -> x));
            assertEquals(4, count.get(60, TimeUnit.SECONDS));
        }
    }

    // on the page
    LatencyHidingFuture<String> withRetry(LatencyHidingScheduler scheduler, int attempts) {
        return (LatencyHidingFuture<String>) scheduler
                .supply(this::fetch)
                .exceptionallyComposeAsync(error -> attempts == 1
                        ? LatencyHidingFuture.failedFuture(error)
                        : scheduler
                                .delay(1, TimeUnit.MILLISECONDS)
                                .thenComposeAsync(none -> withRetry(scheduler, attempts - 1)));
    }
    // end

    @Test
    void retry() {
        try (var scheduler = LatencyHidingScheduler.builder().build()) {
            assertThrows(CompletionException.class, withRetry(scheduler, 2)::join);
            fetches.set(0);
            assertEquals("fetched", withRetry(scheduler, 3).join());
        }
    }

    // ---- fork-join ----

    // on the page
    void sort(LatencyHidingScheduler scheduler, int[] array, int from, int to) {
        if (to - from < 1000) {
            Arrays.sort(array, from, to);
        } else {
            int middle = (from + to) >>> 1;
            scheduler.invoke(() -> sort(scheduler, array, from, middle), () -> sort(scheduler, array, middle, to));
            merge(array, from, middle, to);
        }
    }
    // end

    private static void merge(int[] array, int from, int middle, int to) {
        final int[] left = Arrays.copyOfRange(array, from, middle);
        for (int l = 0, r = middle, i = from; l < left.length; i++) {
            array[i] = r == to || left[l] <= array[r] ? left[l++] : array[r++];
        }
    }

    @Test
    void forkJoin() {
        final int[] array = new Random(1).ints(100_000).toArray();
        final int[] sorted = array.clone();
        Arrays.sort(sorted);
        try (var scheduler = LatencyHidingScheduler.builder().build()) {
            sort(scheduler, array, 0, array.length);
        }
        assertArrayEquals(sorted, array);
    }

    // ---- a pool ----

    @Test
    void executorService() throws Exception {
        // on the page
        ScheduledExecutorService pool = LatencyHidingScheduler.shared().asExecutorService();
        ScheduledFuture<?> ticker = pool.scheduleAtFixedRate(this::tick, 0, 1, TimeUnit.MILLISECONDS);
        Future<String> page = pool.submit(() -> render(7));
        report(page.get(), ticked.await(10, TimeUnit.SECONDS) ? 1 : 0);
        ticker.cancel(false);
        pool.shutdown();
        // end
        assertTrue(pool.awaitTermination(60, TimeUnit.SECONDS));
        assertEquals(Map.of("page 7", 1), reports);
    }

    // ---- long computations ----

    // on the page
    void search(LatencyHidingScheduler scheduler, Iterator<Integer> candidates) {
        while (candidates.hasNext()) {
            check(candidates.next());
            if (LatencyHidingScheduler.othersWait()) {
                scheduler.executeFairly(() -> search(scheduler, candidates));
                return;
            }
        }
    }
    // end

    @Test
    void longComputation() {
        final List<Integer> candidates = IntStream.range(0, 100_000).boxed().toList();
        try (var scheduler = LatencyHidingScheduler.builder().parallelism(1).build()) {
            scheduler.execute(() -> search(scheduler, candidates.iterator()));
            scheduler.execute(() -> report("meanwhile", 1));
        }
        assertEquals(candidates, checked);
        assertEquals(Map.of("meanwhile", 1), reports);
    }
}
