package dev.latencyhiding.samples;

import dev.latencyhiding.LatencyHidingScheduler;
import dev.latencyhiding.Suspension;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The program behind {@code mvn -q -Pdemo}. It fetches documents from a local server that takes its
 * time, computes something from each and reduces the results; once on a pool whose threads wait for
 * the answers, once on the scheduler, with as many threads. Both give the same result.
 */
public final class Demo {
    private static final int DOCUMENTS = 200;
    private static final int LATENCY_MILLIS = 20;
    private static final int HASH_ROUNDS = 2_000;

    private final HttpClient client = HttpClient.newHttpClient();
    private final URI server;
    private final int documents;
    private final AtomicLong result = new AtomicLong();
    private final CountDownLatch done;

    private Demo(URI server, int documents) {
        this.server = server;
        this.documents = documents;
        this.done = new CountDownLatch(documents);
    }

    /**
     * Prints the report to standard output.
     *
     * @param args not used
     * @throws IOException if the local server cannot be started
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        run(System.out, DOCUMENTS, LATENCY_MILLIS);
    }

    static void run(PrintStream out, int documents, int latencyMillis) throws IOException, InterruptedException {
        final int threads = Runtime.getRuntime().availableProcessors();
        out.printf("%d documents, %d ms away each, on %d threads%n", documents, latencyMillis, threads);
        try (SlowServer server = new SlowServer(latencyMillis);
                LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
                        .name("demo")
                        .parallelism(threads)
                        .build()) {
            new Demo(server.uri(), 2 * threads).onScheduler(scheduler); // loads classes
            final ExecutorService pool = Executors.newFixedThreadPool(threads);
            final long blocking =
                    new Demo(server.uri(), documents).onBlockingPool(pool).report(out, "blocking pool");
            pool.shutdown();
            final long hiding =
                    new Demo(server.uri(), documents).onScheduler(scheduler).report(out, "LatencyHiding");
            out.printf(Locale.ROOT, "%.1f times as fast%n%n%s%n", (double) blocking / hiding, scheduler.stats());
        }
    }

    private record Outcome(long nanos, long result) {
        long report(PrintStream out, String name) {
            out.printf("  %-14s %6d ms   result %016x%n", name, nanos / 1_000_000, result);
            return nanos;
        }
    }

    /** A thread of the pool for each document that is under way: as many as there are threads. */
    private Outcome onBlockingPool(ExecutorService pool) throws InterruptedException {
        final long begun = System.nanoTime();
        for (int i = 0; i < documents; i++) {
            final HttpRequest request = request(i);
            pool.execute(() -> {
                try {
                    reduce(client.send(request, BodyHandlers.ofString()).body());
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        return await(begun);
    }

    /** A suspension for each document that is under way: all of them at once. */
    private Outcome onScheduler(LatencyHidingScheduler scheduler) throws InterruptedException {
        final long begun = System.nanoTime();
        for (int i = 0; i < documents; i++) {
            final HttpRequest request = request(i);
            scheduler.execute(() -> {
                final Suspension suspension = Suspension.open();
                final var unused = client.sendAsync(request, BodyHandlers.ofString())
                        .whenComplete((response, error) -> suspension.resume(() -> {
                            if (error != null) {
                                throw new IllegalStateException("no answer from " + request.uri(), error);
                            }
                            reduce(response.body());
                        }));
            });
        }
        return await(begun);
    }

    private Outcome await(long begun) throws InterruptedException {
        done.await();
        return new Outcome(System.nanoTime() - begun, result.get());
    }

    private HttpRequest request(int document) {
        return HttpRequest.newBuilder(server.resolve("/" + document)).build();
    }

    private void reduce(String body) {
        result.accumulateAndGet(hash(body), Long::sum);
        done.countDown();
    }

    /** Stands for parsing and computing. */
    private static long hash(String body) {
        try {
            final MessageDigest sha = MessageDigest.getInstance("SHA-256");
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < HASH_ROUNDS; i++) {
                bytes = sha.digest(bytes);
            }
            long first = 0;
            for (int i = 0; i < Long.BYTES; i++) {
                first = (first << Byte.SIZE) | (bytes[i] & 0xFF);
            }
            return first;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
