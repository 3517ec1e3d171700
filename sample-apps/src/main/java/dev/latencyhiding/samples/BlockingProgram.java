package dev.latencyhiding.samples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The program on a pool whose threads wait for the answers. */
final class BlockingProgram {
    private BlockingProgram() {}

    static long run(HttpClient client, URI server, int documents, int threads, Progress progress)
            throws InterruptedException {
        final ExecutorService pool = Executors.newFixedThreadPool(threads);
        final ScheduledExecutorService heart = Executors.newSingleThreadScheduledExecutor();
        try {
            beatOn(pool, heart, progress);
            final List<Future<Long>> results = new ArrayList<>();
            for (int i = 0; i < documents; i++) {
                final int document = i;
                results.add(pool.submit(() -> bestPeriod(client, server, document, progress)));
            }
            long sum = 0;
            for (final Future<Long> result : results) {
                sum += result.get();
            }
            return sum;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a document could not be fetched", e);
        } finally {
            heart.shutdownNow();
            pool.shutdownNow();
        }
    }

    private static long bestPeriod(HttpClient client, URI server, int document, Progress progress) {
        try {
            final long period =
                    Documents.bestPeriod(client.send(Documents.request(server, document), BodyHandlers.ofString())
                            .body());
            progress.documentDone();
            return period;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** The timer has a thread of its own; the beat is work like any other. */
    private static void beatOn(ExecutorService pool, ScheduledExecutorService heart, Progress progress) {
        final var unused = heart.schedule(
                () -> pool.execute(() -> {
                    progress.beat();
                    if (!heart.isShutdown()) {
                        beatOn(pool, heart, progress);
                    }
                }),
                Progress.BEAT_MILLIS,
                TimeUnit.MILLISECONDS);
    }
}
