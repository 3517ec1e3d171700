package dev.latencyhiding.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.latencyhiding.benchmarks.Profile.Part;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ResultsTest {
    @TempDir
    private Path directory;

    @Test
    void writeJson_readBack_isTheSame() throws IOException {
        Measurement measurement = new Measurement(
                "delay",
                new TreeMap<>(Map.of("latency", "5 ms")),
                "Default",
                "time",
                "ms",
                Better.LOWER,
                12.5,
                0.03,
                List.of(12.0, Double.NaN, 12.5),
                1.0,
                1.25,
                null);
        Results results = new Results(
                Environment.here(2, "compare"),
                List.of(measurement),
                List.of(new BarResult(5, "≤ 1.0 × best", "delay", BarResult.Verdict.MISSED, 1.2, 1.0)),
                List.of(new Profile(
                        "delay",
                        new TreeMap<>(Map.of("latency", "5 ms")),
                        "LatencyHiding",
                        Map.of(Part.SCHEDULER, 1.5, Part.IDLE, 20.0),
                        List.of(new Profile.Method("Timer.run", 0.5)))),
                List.of("note"));
        Path file = directory.resolve("a/b.json");

        results.writeJson(file);

        assertEquals(results, Results.readJson(file));
    }
}
