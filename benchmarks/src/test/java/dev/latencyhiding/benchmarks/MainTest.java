package dev.latencyhiding.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latencyhiding.benchmarks.BarResult.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class MainTest {
    @TempDir
    private Path directory;

    private final Cli cli = new Cli();

    @Test
    void help_namesTheSubCommands() {
        assertEquals(0, cli.run("--help"));
        assertTrue(cli.toString().contains("compare"), cli.toString());
    }

    @Test
    void list_namesWorkloadsAndDispatchers() {
        assertEquals(0, cli.run("compare", "--list"));
        assertTrue(cli.toString().contains("ticker"), cli.toString());
        assertTrue(cli.toString().contains("TwoQueues"), cli.toString());
    }

    @Test
    void unknownWorkload_isRefusedWithTheKnownOnes() {
        assertEquals(CommandLine.ExitCode.USAGE, cli.run("compare", "--workloads", "fib,nonsense"));
        assertTrue(cli.errors().contains("Unknown workload 'nonsense'; known are fib, launch"), cli.errors());
    }

    @Test
    void unknownDispatcher_isRefusedWithTheKnownOnes() {
        assertEquals(CommandLine.ExitCode.USAGE, cli.run("compare", "--dispatchers", "Defualt"));
        assertTrue(
                cli.errors().contains("Unknown dispatcher 'Defualt'; known are LatencyHiding, Default"), cli.errors());
    }

    @Test
    void negativeNumbers_areRefused() {
        assertEquals(CommandLine.ExitCode.USAGE, cli.run("compare", "--rounds", "-1"));
        assertTrue(cli.errors().contains("--rounds must be at least 1, but is -1"), cli.errors());
        assertEquals(CommandLine.ExitCode.USAGE, cli.run("compare", "--jvms", "-1"));
        assertTrue(cli.errors().contains("--jvms must be at least 1, but is -1"), cli.errors());
    }

    @Test
    void compare_severalJvms_measuresInEach_andPrintsOnce() throws IOException {
        Path json = directory.resolve("results.json");

        int status = cli.run(
                "compare",
                "--tiny",
                "--jvms",
                "2",
                "--rounds",
                "2",
                "--workloads",
                "fib",
                "--dispatchers",
                "LatencyHiding,Default",
                "--json",
                json.toString());

        assertEquals(0, status, cli.toString());
        assertEquals(2, cli.toString().split("fib: time", -1).length, cli.toString());
        for (Measurement measurement : Results.readJson(json).measurements()) {
            assertEquals(4, measurement.samples().size());
            assertFalse(measurement.samples().contains(Double.NaN), measurement.toString());
        }
    }

    @Test
    void compare_printsTablesAndBars_andWritesJson() throws IOException {
        Path json = directory.resolve("results.json");

        int status = cli.run(
                "compare",
                "--tiny",
                "--rounds",
                "2",
                "--workloads",
                "fib,yield",
                "--dispatchers",
                "LatencyHiding,Default",
                "--json",
                json.toString());

        assertEquals(0, status, cli.toString());
        assertTrue(cli.toString().contains("fib: time in ms (lower is better)"), cli.toString());
        assertTrue(cli.toString().contains("≤ 1.0 × best dispatcher"), cli.toString());
        Results results = Results.readJson(json);
        assertEquals(4, results.measurements().size());
        Measurement ours = results.measurements().get(0);
        assertEquals("LatencyHiding", ours.dispatcher());
        assertEquals(2, ours.samples().size());
        assertEquals(List.of(Verdict.NOT_MEASURED), verdicts(results, 17));
        assertNotEquals(List.of(Verdict.NOT_MEASURED), verdicts(results, 1));
    }

    private static List<Verdict> verdicts(Results results, int bar) {
        return results.bars().stream()
                .filter(result -> result.number() == bar)
                .map(BarResult::verdict)
                .toList();
    }

    @Test
    void compare_workloadThatIsNotForAll_showsADash() throws IOException {
        Path json = directory.resolve("results.json");

        int status = cli.run(
                "compare",
                "--tiny",
                "--rounds",
                "1",
                "--workloads",
                "forkjoin",
                "--dispatchers",
                "LatencyHiding,Default,ForkJoin-LIFO",
                "--json",
                json.toString());

        assertEquals(0, status, cli.toString());
        assertTrue(Pattern.compile("Default +–").matcher(cli.toString()).find(), cli.toString());
        Results results = Results.readJson(json);
        assertEquals(
                Set.of("LatencyHiding", "ForkJoin-LIFO"),
                results.measurements().stream().map(Measurement::dispatcher).collect(Collectors.toSet()));
        assertFalse(verdicts(results, 16).contains(Verdict.NOT_MEASURED));
    }

    @Test
    void compare_usualDispatchers_includeClassicWhereNothingWaits() throws IOException {
        Path json = directory.resolve("results.json");

        int status =
                cli.run("compare", "--tiny", "--rounds", "1", "--workloads", "mapreduce", "--json", json.toString());

        assertEquals(0, status, cli.toString());
        List<String> latencies = Results.readJson(json).measurements().stream()
                .filter(measurement -> measurement.dispatcher().startsWith("LatencyHiding-"))
                .map(measurement -> measurement.dispatcher() + measurement.parameters())
                .toList();
        assertEquals(List.of("LatencyHiding-CLASSIC{δ=0 ms}"), latencies);
    }

    @Test
    void compare_dispatcherThatFails_isNotedAndTheOthersAreMeasured() throws IOException {
        Path json = directory.resolve("results.json");

        int status = cli.run(
                "compare",
                "--tiny",
                "--rounds",
                "1",
                "--workloads",
                "fib",
                "--dispatchers",
                "Default",
                "--extra-dispatcher",
                "Broken=no.such.Class",
                "--json",
                json.toString());

        assertEquals(1, status);
        Results results = Results.readJson(json);
        assertEquals(1, results.measurements().size());
        assertEquals("Default", results.measurements().get(0).dispatcher());
        assertEquals(1, results.notes().size());
        assertTrue(
                results.notes().get(0).startsWith("fib on Broken: "),
                results.notes().get(0));
    }
}
