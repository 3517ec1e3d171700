package dev.latencyhiding.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.latencyhiding.benchmarks.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FlameTest {
    @TempDir
    private Path directory;

    /** Two rounds, so that the profiler is started, stopped and resumed. */
    @Test
    void flame_showsTheWorkload() throws IOException {
        Cli cli = new Cli();

        int status = cli.run(
                "compare",
                "--quick",
                "--rounds",
                "2",
                "--workloads",
                "quicksort",
                "--dispatchers",
                "LatencyHiding",
                "--flame",
                directory.resolve("new/flame.html").toString());

        assumeFalse(cli.toString().contains(Sampling.UNAVAILABLE), () -> "async-profiler cannot run here: " + cli);
        assertEquals(0, status, cli::toString);
        String flame = Files.readString(directory.resolve("new/flame-quicksort-LatencyHiding.html"));
        // Names are written without what they have in common with the one before, perhaps "watchdog".
        assertTrue(flame.contains("orker-"), "no worker in the flame graph");
    }
}
