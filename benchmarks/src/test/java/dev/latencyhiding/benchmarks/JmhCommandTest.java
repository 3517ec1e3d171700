package dev.latencyhiding.benchmarks;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Running them takes too long for a test; that JMH finds them is what breaks in builds. */
final class JmhCommandTest {
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
}
