package dev.latencyhiding.benchmarks.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latencyhiding.benchmarks.BarResult.Verdict;
import dev.latencyhiding.benchmarks.Results;
import java.io.PrintWriter;
import java.io.StringWriter;
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

    private final StringWriter out = new StringWriter();
    private final StringWriter errors = new StringWriter();

    @Test
    void simulate_smallRange_printsAndWritesEverything() throws Exception {
        Path json = directory.resolve("sim.json");
        Path html = directory.resolve("sim.html");

        int status = run(
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

        assertEquals(0, status, errors::toString);
        assertTrue(out.toString().contains("map-reduce, latency 5: T₁ 6,498"), out::toString);
        Results results = Results.readJson(json);
        // Two dags, five numbers of workers, three algorithms, six metrics.
        assertEquals(2 * 5 * 3 * 6, results.measurements().size());
        assertEquals(2, results.bars().size());
        assertTrue(results.bars().stream().allMatch(bar -> bar.verdict() == Verdict.MET));
        assertTrue(Files.readString(html).contains("map-reduce: makespan, latency 5"));
    }

    @Test
    void simulate_sameOptions_printTheSame() {
        run("--dag", "random", "--p", "8", "--size", "500");
        String first = out.toString();
        out.getBuffer().setLength(0);
        run("--dag", "random", "--p", "8", "--size", "500");

        assertEquals(first, out.toString());
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
        assertEquals(CommandLine.ExitCode.USAGE, run(option));
        assertTrue(
                errors.toString()
                        .contains(option.substring(option.indexOf('=') + 1).replace("..10", "..")),
                errors::toString);
    }

    @Test
    void workerCounts_rangesAndNumbers_areSortedAndDistinct() {
        assertEquals(List.of(1, 2, 4, 8), WorkerCounts.parse("1..8"));
        assertEquals(List.of(4, 8, 24), WorkerCounts.parse("24,3..15,4"));
        assertThrows(IllegalArgumentException.class, () -> WorkerCounts.parse(""));
    }

    private int run(String... args) {
        return new CommandLine(new SimulateCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(errors, true))
                .execute(args);
    }
}
