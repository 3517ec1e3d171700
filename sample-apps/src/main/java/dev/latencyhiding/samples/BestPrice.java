package dev.latencyhiding.samples;

import dev.latencyhiding.LatencyHidingFuture;
import dev.latencyhiding.nio.AsyncFiles;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A pipeline of {@code CompletableFuture}s that never blocks and never leaves the scheduler: for each article it
 * asks some shops at a time, parses what they answer, takes the best offer, and writes the list to a file. A shop that
 * does not answer in time is left out.
 */
public final class BestPrice {
    private static final String HELP = """
            Asks local shops for prices, which take their time, and writes the best ones to a file.

              --articles N    how many to ask for, 50 by default
              --shops N       how many shops to ask for each, 5 by default
              --latency MS    how long a shop takes, 50 ms by default
              --patience MS   how long to wait for a shop, 2000 ms by default
              --output FILE   where to write the list, best-price.txt by default
              --help          prints this""";

    private final HttpClient client = HttpClient.newHttpClient();
    private final List<URI> shops;
    private final int patienceMillis;

    BestPrice(List<URI> shops, int patienceMillis) {
        this.shops = List.copyOf(shops);
        this.patienceMillis = patienceMillis;
    }

    /** What a shop asks for an article. */
    record Offer(int article, int shop, long price) {
        String line() {
            return "article " + article + ": " + price + " at shop " + shop;
        }
    }

    /**
     * Starts the shops, asks them, and prints what was written.
     *
     * @param args see {@code --help}
     * @throws IOException if a shop cannot be started
     */
    public static void main(String[] args) throws IOException {
        final Arguments arguments = new Arguments(HELP, args);
        if (arguments.help(System.out)) {
            return;
        }
        final int articles = arguments.number("--articles", 50, 1, 100_000);
        final int shops = arguments.number("--shops", 5, 1, 100);
        final int latency = arguments.number("--latency", 50, 0, 60_000);
        final int patience = arguments.number("--patience", 2_000, 1, 60_000);
        final Path output = Path.of(arguments.text("--output", "best-price.txt"));
        arguments.requireNoOthers();

        try (SlowServer server = new SlowServer(latency)) {
            final List<URI> uris = IntStream.range(0, shops)
                    .mapToObj(shop -> server.uri().resolve("/" + shop + "/"))
                    .toList();
            final String list =
                    new BestPrice(uris, patience).writeList(articles, output).join();
            System.out.println(list + "\nwritten to " + output.toAbsolutePath());
        }
    }

    /** The whole program, as a future: what joins it is up to the caller. */
    CompletableFuture<String> writeList(int articles, Path output) {
        final List<CompletableFuture<String>> lines = IntStream.range(0, articles)
                .mapToObj(article -> LatencyHidingFuture.completedFuture(article)
                        .thenComposeAsync(this::bestOffer)
                        .exceptionally(error -> "article " + article + ": no offer"))
                .toList();
        return all(lines)
                .thenApply(list -> String.join("\n", list))
                .thenCompose(list -> AsyncFiles.writeText(output, list).thenApply(written -> list));
    }

    private CompletableFuture<String> bestOffer(int article) {
        final List<CompletableFuture<List<Offer>>> offers = IntStream.range(0, shops.size())
                .mapToObj(shop -> ask(article, shop).thenApply(List::of).exceptionally(error -> List.of()))
                .toList();
        return all(offers)
                .thenApply(lists -> lists.stream()
                        .flatMap(List::stream)
                        .min(Comparator.comparingLong(Offer::price))
                        .orElseThrow()
                        .line());
    }

    /** The stage after the wait runs on the deque that sent the request, ahead of other work. */
    private CompletableFuture<Offer> ask(int article, int shop) {
        final URI offer = shops.get(shop).resolve(String.valueOf(article));
        return LatencyHidingFuture.touch(
                        client.sendAsync(HttpRequest.newBuilder(offer).build(), BodyHandlers.ofString()))
                .orTimeout(patienceMillis, TimeUnit.MILLISECONDS)
                .thenApplyAsync(response -> new Offer(article, shop, Documents.bestPeriod(response.body())));
    }

    private static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> futures) {
        return LatencyHidingFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
                .thenApplyAsync(
                        done -> futures.stream().map(CompletableFuture::join).collect(Collectors.toList()));
    }
}
