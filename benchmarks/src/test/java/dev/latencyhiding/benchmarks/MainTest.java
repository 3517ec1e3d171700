package dev.latencyhiding.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class MainTest {
    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void help_namesTheSubCommands() {
        assertEquals(0, execute("--help"));
        assertTrue(out.toString().contains("compare"), out.toString());
    }

    @Test
    void list_namesWorkloadsAndDispatchers() {
        assertEquals(0, execute("compare", "--list"));
        assertTrue(out.toString().contains("ticker"), out.toString());
        assertTrue(out.toString().contains("TwoQueues"), out.toString());
    }

    @Test
    void unknownWorkload_isRefusedWithTheKnownOnes() {
        assertEquals(CommandLine.ExitCode.USAGE, execute("compare", "--workloads", "fib,nonsense"));
        assertTrue(err.toString().contains("Unknown workload 'nonsense'; known are fib, launch"), err.toString());
    }

    @Test
    void unknownDispatcher_isRefusedWithTheKnownOnes() {
        assertEquals(CommandLine.ExitCode.USAGE, execute("compare", "--dispatchers", "Defualt"));
        assertTrue(
                err.toString().contains("Unknown dispatcher 'Defualt'; known are LatencyHiding, Default"),
                err.toString());
    }

    @Test
    void negativeRounds_areRefused() {
        assertEquals(CommandLine.ExitCode.USAGE, execute("compare", "--rounds", "-1"));
        assertTrue(err.toString().contains("--rounds must be at least 1, but is -1"), err.toString());
    }

    @Test
    void compare_printsTablesAndBars_andWritesJson() throws IOException {
        Path json = directory.resolve("results.json");

        int status = execute(
                "compare",
                "--tiny",
                "--rounds",
                "2",
                "--workloads",
                "fib",
                "--dispatchers",
                "LatencyHiding,Default",
                "--json",
                json.toString());

        assertEquals(0, status, out.toString() + err);
        assertTrue(out.toString().contains("fib: time in ms (lower is better)"), out.toString());
        assertTrue(out.toString().contains("≤ 1.0 × best dispatcher"), out.toString());
        Results results = Results.readJson(json);
        assertEquals(2, results.measurements().size());
        Measurement ours = results.measurements().get(0);
        assertEquals("LatencyHiding", ours.dispatcher());
        assertEquals(2, ours.samples().size());
        assertEquals(1, results.bars().size());
    }

    @Test
    void compare_dispatcherThatFails_isNotedAndTheOthersAreMeasured() throws IOException {
        Path json = directory.resolve("results.json");

        int status = execute(
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

    private int execute(String... args) {
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }
}
