package dev.latencyhiding.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine.ExitCode;

final class JmhCommandTest {
    @TempDir
    private Path directory;

    private final Cli cli = new Cli();

    /** One run at a time on a machine is for those who want figures. */
    @BeforeAll
    static void ignoreOtherRuns() {
        System.setProperty("jmh.ignoreLock", "true");
    }

    /** Running all takes too long for a test; that JMH finds them is what breaks in builds. */
    @Test
    void benchmarks_ofBothPackages_areListed() {
        Set<String> names = BenchmarkList.defaultList()
                .getAll(OutputFormatFactory.createFormatInstance(System.out, VerboseMode.SILENT), List.of())
                .stream()
                .map(BenchmarkListEntry::getUsername)
                .collect(Collectors.toSet());

        assertTrue(names.contains("dev.latencyhiding.WorkDequeBenchmark.pushAndPop"), names.toString());
        assertTrue(
                names.contains("dev.latencyhiding.benchmarks.jmh.CheckpointBenchmark.nobodyWaits"), names.toString());
    }

    @Test
    void oneBenchmark_inAJvmOfItsOwn_givesTimeAndAllocation() throws IOException {
        Path json = directory.resolve("jmh.json");

        int status = cli.run("jmh", "--tiny", "WorkDequeBenchmark.pushAndPop", "--json", json.toString());

        assertEquals(0, status, cli.toString());
        List<Measurement> measurements = Results.readJson(json).measurements();
        assertEquals(
                List.of("time in ns/op", "allocation in B/op"),
                measurements.stream()
                        .map(measurement -> measurement.metric() + " in " + measurement.unit())
                        .toList());
        assertEquals(
                "WorkDequeBenchmark.pushAndPop",
                measurements.get(0).parameters().get("benchmark"));
        assertTrue(measurements.get(0).value() > 0, measurements.toString());
    }

    @Test
    void unknownBenchmark_isRefused() {
        assertEquals(ExitCode.USAGE, cli.run("jmh", "--tiny", "NoSuchBenchmark"));
        assertTrue(cli.errors().contains("No benchmark has a match of [NoSuchBenchmark]"), cli.errors());
    }
}
