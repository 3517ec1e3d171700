package dev.latencyhiding.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pipeline of futures finds the best offers, and goes on without those that come too late. */
final class BestPriceTest {
    private static final int SHOPS = 3;
    private static final int ARTICLES = 20;

    @TempDir
    Path directory;

    @Test
    void writeList_bestOffersInOrder() throws IOException {
        final String list = listWith(10, 60_000);

        final List<String> lines = list.lines().toList();
        assertEquals(ARTICLES, lines.size());
        for (int i = 0; i < ARTICLES; i++) {
            final int article = i;
            final int best = IntStream.range(0, SHOPS)
                    .map(shop -> Documents.bestPeriod(Documents.write("/" + shop + "/" + article)))
                    .min()
                    .orElseThrow();
            assertTrue(lines.get(i).startsWith("article " + i + ": " + best + " at shop "), lines.get(i));
        }
        assertEquals(list, Files.readString(directory.resolve("list")));
    }

    @Test
    void writeList_shopsTooSlow_noOffer() throws IOException {
        assertTrue(listWith(1_000, 1).lines().allMatch(line -> line.endsWith(": no offer")));
    }

    @Test
    void writeList_fileCannotBeWritten_failsTheFuture() throws IOException {
        Files.createDirectory(directory.resolve("list"));
        final Exception e = assertThrows(CompletionException.class, () -> listWith(0, 60_000));
        assertTrue(e.getCause().getMessage().endsWith("cannot write: it is a directory"), e.toString());
    }

    @Test
    void main_badArguments_areRefused() {
        assertThrows(IllegalArgumentException.class, () -> BestPrice.main(new String[] {"--shops", "0"}));
        assertThrows(IllegalArgumentException.class, () -> BestPrice.main(new String[] {"--colour", "red"}));
    }

    private String listWith(int latencyMillis, int patienceMillis) throws IOException {
        try (SlowServer server = new SlowServer(latencyMillis)) {
            final List<URI> shops = IntStream.range(0, SHOPS)
                    .mapToObj(shop -> server.uri().resolve("/" + shop + "/"))
                    .toList();
            return new BestPrice(shops, patienceMillis)
                    .writeList(ARTICLES, directory.resolve("list"))
                    .orTimeout(60, TimeUnit.SECONDS)
                    .join();
        }
    }
}
