package dev.latencyhiding.benchmarks.report;

import dev.latencyhiding.benchmarks.BarResult;
import dev.latencyhiding.benchmarks.BarResult.Verdict;
import dev.latencyhiding.benchmarks.Environment;
import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.Results;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The page: head, bars, notes, and a section for each workload. */
public final class HtmlReport {
    private static final String PROFILES = "profiles";

    private final Results results;
    private final Map<String, List<Measurement>> workloads;
    private final Colours colours;
    private final Html out = new Html();

    private HtmlReport(Results results) {
        this.results = results;
        workloads = results.measurements().stream()
                .collect(Collectors.groupingBy(Measurement::workload, LinkedHashMap::new, Collectors.toList()));
        colours = new Colours(
                results.measurements().stream().map(Measurement::dispatcher).toList());
    }

    /**
     * Makes the page.
     *
     * @param results what a run found out
     * @return an HTML document that needs no other file
     */
    public static String of(Results results) {
        return new HtmlReport(results).render();
    }

    /**
     * Writes the page to a file.
     *
     * @param results what a run found out
     * @param file the file to write; directories above it are made
     * @throws IOException if it cannot be written
     */
    public static void write(Results results, Path file) throws IOException {
        final Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.writeString(file, of(results));
    }

    private String render() {
        final String title = title();
        out.raw("<!DOCTYPE html>\n").open("html", "lang", "en").open("head");
        out.empty("meta", "charset", "utf-8");
        out.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
        out.empty("meta", "name", "color-scheme", "content", "light dark");
        // An empty icon: a browser would ask the server for one.
        out.empty("link", "rel", "icon", "href", "data:,");
        out.element("title", title);
        out.open("style").raw(styleSheet()).close().close();
        out.open("body");
        out.element("a", "Skip to the results", "href", "#results", "class", "skip");
        renderHeader(title);
        out.open("main", "id", "results");
        renderBars();
        if (!results.profiles().isEmpty()) {
            new ProfileSection(results.profiles()).render(out, PROFILES);
        }
        renderNotes();
        workloads.forEach(this::renderWorkload);
        out.close();
        out.element("footer", "Compare values within this run only: absolute values depend on the machine.");
        return out.close().close().toString();
    }

    private String title() {
        final String command = results.environment().command().strip().split("\\s+", 2)[0];
        return "Latency Hiding: " + command;
    }

    private void renderHeader(String title) {
        final Environment environment = results.environment();
        out.open("header").element("h1", title);
        out.open("dl", "class", "facts");
        fact("when", environment.time());
        fact("JVM", environment.jvm());
        fact("system", environment.system() + ", " + environment.processors() + " processors");
        fact("workers", Numbers.format(environment.parallelism()));
        if (environment.coreNanos() != null) {
            fact("cache line to another processor and back", Numbers.format(environment.coreNanos()) + " ns");
        }
        fact("command", environment.command());
        out.close();
        out.open("nav", "aria-label", "Contents").open("ul");
        if (!results.bars().isEmpty()) {
            link("bars", "Bars");
        }
        if (!results.profiles().isEmpty()) {
            link(PROFILES, "Where the time goes");
        }
        workloads.keySet().forEach(workload -> link(id(workload), workload));
        out.close().close().close();
    }

    private void fact(String name, String value) {
        out.open("div").element("dt", name).element("dd", value).close();
    }

    private void link(String id, String text) {
        out.open("li").element("a", text, "href", "#" + id).close();
    }

    private void renderBars() {
        final List<BarResult> bars = results.bars();
        if (bars.isEmpty()) {
            return;
        }
        out.open("section", "id", "bars").element("h2", "Bars");
        out.open("ul", "class", "tiles");
        for (Verdict verdict : Verdict.values()) {
            final long count =
                    bars.stream().filter(bar -> bar.verdict() == verdict).count();
            if (count > 0) {
                out.open("li", "class", style(verdict));
                out.element("strong", Long.toString(count))
                        .text(" " + label(verdict))
                        .close();
            }
        }
        out.close();
        final Table table = Table.of("What the project asks of itself")
                .column("#")
                .textColumn("bar")
                .textColumn("case")
                .column("reached")
                .column("limit")
                .textColumn("verdict");
        bars.forEach(bar -> table.row(
                Integer.toString(bar.number()),
                bar.bar(),
                bar.subject(),
                Numbers.format(bar.value()),
                Numbers.format(bar.limit()),
                Table.badge(bar.inWords(), style(bar.verdict()))));
        table.render(out);
        out.close();
    }

    private static String label(Verdict verdict) {
        return switch (verdict) {
            case MET -> "met";
            case LEVEL -> "level";
            case MISSED -> "missed";
            case NOT_MEASURED -> "not measured";
        };
    }

    private static String style(Verdict verdict) {
        return verdict.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private void renderNotes() {
        if (results.notes().isEmpty()) {
            return;
        }
        out.open("section", "id", "notes").element("h2", "Notes").open("ul");
        results.notes().forEach(note -> out.element("li", note));
        out.close().close();
    }

    private void renderWorkload(String workload, List<Measurement> measurements) {
        out.open("section", "id", id(workload)).element("h2", workload).open("div", "class", "figures");
        for (Figures.Figure figure : Figures.of(measurements)) {
            new FigureView(workload, figure, colours).render(out);
        }
        out.close().close();
    }

    private static String id(String workload) {
        return "w-" + workload.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    }

    private static String styleSheet() {
        try (InputStream in = HtmlReport.class.getResourceAsStream("report.css")) {
            if (in == null) {
                throw new IllegalStateException("report.css is missing beside " + HtmlReport.class);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
