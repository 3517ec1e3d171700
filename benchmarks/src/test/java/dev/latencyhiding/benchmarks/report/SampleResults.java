package dev.latencyhiding.benchmarks.report;

import dev.latencyhiding.benchmarks.BarResult;
import dev.latencyhiding.benchmarks.BarResult.Verdict;
import dev.latencyhiding.benchmarks.Better;
import dev.latencyhiding.benchmarks.Environment;
import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.Profile;
import dev.latencyhiding.benchmarks.Profile.Part;
import dev.latencyhiding.benchmarks.Results;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Made-up results with everything that can occur in real ones. */
final class SampleResults {
    private static final String[] DISPATCHERS = {"Default", "LatencyHiding", "ForkJoin-LIFO", "Fixed", "<VT> & \"more\""
    };

    private SampleResults() {}

    static Results all() {
        List<Measurement> measurements = new ArrayList<>();
        for (int i = 0; i < DISPATCHERS.length; i++) {
            double value = i == 3 ? Double.NaN : 100 + 37 * (i * i % 5);
            measurements.add(measurement("fib", Map.of(), DISPATCHERS[i], "time", "ms", value));
            measurements.add(measurement("ticker", Map.of("load", "tree"), DISPATCHERS[i], "ticks", "", 500 - 90 * i));
            measurements.add(measurement("ticker", Map.of("load", "flood"), DISPATCHERS[i], "p99", "ms", 0.4 + 7 * i));
            for (int workers = 1; workers <= 1024; workers *= 4) {
                measurements.add(measurement(
                        "map-reduce",
                        Map.of("P", Integer.toString(workers), "latency", "50 ms"),
                        DISPATCHERS[i],
                        "time",
                        "ms",
                        100_000.0 / workers + 100 * i + 50));
            }
        }
        return new Results(
                new Environment("2026-01-01T00:00:00Z", "A JVM 17", "An OS", 2, 2, "compare --quick", 60.0, 1),
                measurements,
                List.of(
                        new BarResult(1, "≤ 1.0 × best dispatcher", "fib", Verdict.MET, 0.93, 1),
                        new BarResult(3, "≤ 1.0 × best dispatcher", "yield", Verdict.LEVEL, 1.02, 1),
                        new BarResult(5, "≤ 1.0 × best dispatcher", "delay", Verdict.MISSED, 1.2, 1),
                        new BarResult(13, "best p99", "service", Verdict.NOT_MEASURED, Double.NaN, 1)),
                List.of(profile(DISPATCHERS[1], 1), profile(DISPATCHERS[4], 0.7)),
                List.of("Fixed did not end the workload fib <within> 120 s."));
    }

    private static Profile profile(String dispatcher, double factor) {
        Map<Part, Double> parts = new EnumMap<>(Part.class);
        for (Part part : Part.values()) {
            parts.put(part, factor * (3 + parts.size()));
        }
        return new Profile(
                "delay",
                new TreeMap<>(Map.of("latency", "1 ms")),
                dispatcher,
                parts,
                List.of(new Profile.Method("Lanes.poll", 3 * factor), new Profile.Method("Job$<init>.run", factor)));
    }

    private static Measurement measurement(
            String workload,
            Map<String, String> parameters,
            String dispatcher,
            String metric,
            String unit,
            double value) {
        return new Measurement(
                workload,
                new TreeMap<>(parameters),
                dispatcher,
                metric,
                unit,
                metric.equals("ticks") ? Better.HIGHER : Better.LOWER,
                value,
                0.04,
                List.of(value),
                value / 100,
                value / 137,
                workload.equals("map-reduce") ? value / 90 : null);
    }
}
