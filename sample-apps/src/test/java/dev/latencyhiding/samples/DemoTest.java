package dev.latencyhiding.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

/** The demonstration runs, all ways compute the same, and hiding the latency is not slower than paying it. */
final class DemoTest {
    private static final int DOCUMENTS = 40;
    private static final int LATENCY_MILLIS = 50;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @TempDir
    Path directory;

    @Test
    void run_allWays_sameResultAndFasterThanBlocking() throws IOException, InterruptedException {
        final List<Progress.Outcome> outcomes = run(false);

        final Progress.Outcome blocking = outcomes.get(0);
        final Progress.Outcome hiding = outcomes.get(2);
        assertEquals(
                List.of("blocking pool", "Dispatchers.Default", "LatencyHiding"),
                outcomes.stream().map(Progress.Outcome::name).toList());
        assertEquals(
                1, outcomes.stream().map(Progress.Outcome::result).distinct().count(), this::output);
        assertTrue(hiding.nanos() < blocking.nanos(), this::output);
        assertTrue(hiding.beats() > 0, this::output);
        assertFalse(output().contains("\u001b"), this::output);
        for (final Progress.Outcome outcome : outcomes) {
            assertTrue(output().contains(outcome.name()), this::output);
            assertEquals(
                    DOCUMENTS,
                    outcome.samples().get(outcome.samples().size() - 1).done());
        }
    }

    @Test
    void run_onATerminal_drawsInPlaceAndLeavesTheTableOnly() throws IOException, InterruptedException {
        run(true);

        assertTrue(output().contains("\u001b["), this::output);
        assertTrue(output().contains("deques active"), this::output);
        final String afterLastDrawing = output().substring(output().lastIndexOf("\u001b[J") + 3);
        assertTrue(afterLastDrawing.contains("heartbeats"), this::output);
        assertFalse(afterLastDrawing.contains("deques active"), this::output);
    }

    @Test
    void run_writesAReportWithItsCharts() throws Exception {
        run(false);

        final Path report = directory.resolve("new").resolve("demo.html");
        assertTrue(output().contains("The report is in " + report), this::output);
        final String html = Files.readString(report);
        assertTrue(html.contains("<title>"), html);
        assertFalse(html.contains("src="), "it loads nothing");
        final String[] charts = html.split("(?=<svg )|(?<=</svg>)", -1);
        int seen = 0;
        for (final String chart : charts) {
            if (chart.startsWith("<svg ")) {
                assertNotNull(DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(new InputSource(new java.io.StringReader(chart))));
                seen++;
            }
        }
        assertEquals(4, seen, html);
    }

    @Test
    void bestPeriod_isThatOfTheDocument() {
        for (int i = 0; i < 5; i++) {
            final String text = Documents.write("/" + i);
            assertEquals(Documents.bestPeriod(text), Documents.bestPeriod(text));
            assertTrue(Documents.bestPeriod(text) >= 10);
        }
        final StringBuilder sawtooth = new StringBuilder();
        for (int i = 0; i < 3_000; i++) {
            sawtooth.append(i % 77).append('\n');
        }
        assertEquals(0, Documents.bestPeriod(sawtooth.toString()) % 77);
    }

    @Test
    void main_help_printsItAndRunsNothing() {
        assertTrue(new Arguments("how to", "--help").help(new PrintStream(bytes, true, StandardCharsets.UTF_8)));
        assertEquals("how to", output().strip());
    }

    @Test
    void main_badArguments_areRefused() {
        assertThrows(IllegalArgumentException.class, () -> Demo.main(new String[] {"--documents", "0"}));
        assertThrows(IllegalArgumentException.class, () -> Demo.main(new String[] {"--documents"}));
        assertThrows(IllegalArgumentException.class, () -> Demo.main(new String[] {"--latency", "x"}));
        assertThrows(IllegalArgumentException.class, () -> Demo.main(new String[] {"--colour", "red"}));
        assertThrows(IllegalArgumentException.class, () -> Demo.main(new String[] {"fast"}));
    }

    private List<Progress.Outcome> run(boolean terminal) throws IOException, InterruptedException {
        final Path report = directory.resolve("new").resolve("demo.html");
        return Demo.run(
                new PrintStream(bytes, true, StandardCharsets.UTF_8),
                new Demo.Options(DOCUMENTS, LATENCY_MILLIS, report, terminal));
    }

    private String output() {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
