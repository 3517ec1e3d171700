package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.Measurement;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** How cases are called in tables and messages. */
final class Labels {
    private Labels() {}

    /** For example {@code mapreduce (latency 5 ms)}. */
    static String of(Measurement measurement) {
        return measurement.workload() + of(measurement.parameters());
    }

    /** For example {@code " (latency 5 ms)"}; empty without parameters. */
    static String of(SortedMap<String, String> parameters) {
        return parameters.isEmpty()
                ? ""
                : parameters.entrySet().stream().map(Labels::of).collect(Collectors.joining(", ", " (", ")"));
    }

    private static String of(Map.Entry<String, String> parameter) {
        return parameter.getKey() + " " + parameter.getValue();
    }
}
