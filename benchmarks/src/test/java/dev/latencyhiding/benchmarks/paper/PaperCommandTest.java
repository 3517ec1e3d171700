package dev.latencyhiding.benchmarks.paper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latencyhiding.benchmarks.Cli;
import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.Results;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class PaperCommandTest {
    @TempDir
    private Path directory;

    private final Cli cli = new Cli();

    @Test
    void paper_small_putsTheMeasuredBesideThePublished() throws Exception {
        Path json = directory.resolve("paper.json");
        Path html = directory.resolve("paper.html");

        int status = cli.run(
                "paper",
                "--quick",
                "--leaves",
                "20",
                "--rounds",
                "1",
                "--p",
                "1,2",
                "--json",
                json.toString(),
                "--html",
                html.toString());

        assertEquals(0, status, cli::toString);
        List<Measurement> measurements = Results.readJson(json).measurements();
        for (Ratio ratio : Ratio.values()) {
            Set<String> sources = measurements.stream()
                    .filter(value -> value.workload().equals(ratio.workload()))
                    .map(Measurement::dispatcher)
                    .collect(Collectors.toSet());
            assertTrue(sources.containsAll(List.of("PROWS_R", "LHWS")), ratio + ": " + sources);
            assertTrue(sources.stream().anyMatch(name -> name.contains("(")), ratio + ": " + sources);
        }
        assertTrue(measurements.stream().allMatch(value -> value.value() > 0));
        assertTrue(Files.readString(html).contains("hiding gains: T(CLASSIC)/T, δ 50 ms"));
        String out = cli.takeOut();
        assertTrue(out.contains("hiding gains: T(CLASSIC)/T, P 1, δ 50 ms"), out);
    }

    @Test
    void published_everyFigure_isThere() {
        List<Measurement> published = Published.all();

        // Two tables of 3 latencies and 6 core counts, 6 without latency, two of 3 by 3, two sweeps of 5.
        assertEquals(2 * 18 + 6 + 2 * 9 + 2 * 5, published.size());
        assertEquals(9.00, value(published, "hiding gains", "1", "50 ms"));
        assertEquals(1.059, value(published, "waiting costs", "70", "100 ms"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--rounds=0", "--leaves=-1", "--p=0"})
    void paper_badOption_isRefused(String option) {
        assertEquals(CommandLine.ExitCode.USAGE, cli.run("paper", option));
    }

    private static double value(List<Measurement> published, String workload, String p, String latency) {
        return published.stream()
                .filter(value -> value.workload().equals(workload))
                .filter(value -> p.equals(value.parameters().get("P")))
                .filter(value -> latency.equals(value.parameters().get("δ")))
                .findFirst()
                .orElseThrow()
                .value();
    }
}
