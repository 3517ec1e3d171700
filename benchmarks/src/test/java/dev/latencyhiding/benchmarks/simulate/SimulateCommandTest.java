package dev.latencyhiding.benchmarks.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latencyhiding.benchmarks.BarResult.Verdict;
import dev.latencyhiding.benchmarks.Cli;
import dev.latencyhiding.benchmarks.Results;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class SimulateCommandTest {
    @TempDir
    private Path directory;

    private final Cli cli = new Cli();

    @Test
    void simulate_smallRange_printsAndWritesEverything() throws Exception {
        Path json = directory.resolve("sim.json");
        Path html = directory.resolve("sim.html");

        int status = cli.run(
                "simulate",
                "--dag",
                "map-reduce,random",
                "--p",
                "1..16",
                "--latency",
                "5",
                "--size",
                "500",
                "--json",
                json.toString(),
                "--html",
                html.toString());

        assertEquals(0, status, cli::toString);
        String out = cli.takeOut();
        assertTrue(out.contains("map-reduce, latency 5: T₁ 6,498"), out);
        Results results = Results.readJson(json);
        // Two dags, five numbers of workers, three algorithms, six metrics.
        assertEquals(2 * 5 * 3 * 6, results.measurements().size());
        assertEquals(2, results.bars().size());
        assertTrue(results.bars().stream().allMatch(bar -> bar.verdict() == Verdict.MET));
        assertTrue(Files.readString(html).contains("map-reduce: makespan, latency 5"));
    }

    @Test
    void simulate_sameOptions_printTheSame() {
        cli.run("simulate", "--dag", "random", "--p", "8", "--size", "500");
        String first = cli.takeOut();
        cli.run("simulate", "--dag", "random", "--p", "8", "--size", "500");

        assertFalse(first.isEmpty());
        assertEquals(first, cli.takeOut());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--p=0",
                "--p=x",
                "--p=1..",
                "--p=9..10",
                "--p=70000",
                "--size=0",
                "--latency=-1",
                "--dag=tree",
                "--policy=BEST"
            })
    void simulate_badOption_isRefusedWithAReason(String option) {
        assertEquals(CommandLine.ExitCode.USAGE, cli.run("simulate", option));
        assertTrue(
                cli.errors().contains(option.substring(option.indexOf('=') + 1).replace("..10", "..")), cli::toString);
    }

    @Test
    void workerCounts_rangesAndNumbers_areSortedAndDistinct() {
        assertEquals(List.of(1, 2, 4, 8), WorkerCounts.parse("1..8"));
        assertEquals(List.of(4, 8, 24), WorkerCounts.parse("24,3..15,4"));
        assertThrows(IllegalArgumentException.class, () -> WorkerCounts.parse(""));
    }
}
