package dev.latencyhiding.benchmarks.report;

import dev.latencyhiding.benchmarks.Measurement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sorts the measurements of one workload into figures. A parameter that takes three or more numbers, such as the
 * number of workers, becomes the horizontal axis of a line chart; every other combination of parameters is a figure
 * of its own.
 */
final class Figures {
    private static final int POINTS_OF_A_LINE = 3;

    /**
     * What is shown together.
     *
     * @param metric what was measured
     * @param parameters what all have in common
     * @param axis the parameter that varies; null if none does
     * @param measurements in the order in which they were made
     */
    record Figure(
            String metric,
            SortedMap<String, String> parameters,
            @Nullable String axis,
            List<Measurement> measurements) {
        /** For example {@code time in ms, latency 5 ms}. */
        String title(String unit) {
            return parameters.entrySet().stream()
                    .map(parameter -> ", " + parameter.getKey() + " " + parameter.getValue())
                    .collect(Collectors.joining("", metric + unit, ""));
        }

        /** The measurements of each place on the axis, by dispatcher. */
        SortedMap<Double, Map<String, Measurement>> byPlace() {
            final SortedMap<Double, Map<String, Measurement>> places = new TreeMap<>();
            for (Measurement measurement : measurements) {
                number(measurement, axis)
                        .ifPresent(place -> places.computeIfAbsent(place, key -> new LinkedHashMap<>())
                                .put(measurement.dispatcher(), measurement));
            }
            return places;
        }
    }

    private Figures() {}

    static List<Figure> of(List<Measurement> workload) {
        final Map<String, List<Measurement>> byMetric = workload.stream()
                .collect(Collectors.groupingBy(Measurement::metric, LinkedHashMap::new, Collectors.toList()));
        final List<Figure> figures = new ArrayList<>();
        byMetric.forEach((metric, measurements) -> {
            final String axis = axis(measurements);
            measurements.stream()
                    .collect(Collectors.groupingBy(
                            measurement -> without(measurement.parameters(), axis),
                            LinkedHashMap::new,
                            Collectors.toList()))
                    .forEach((parameters, group) -> figures.add(new Figure(metric, parameters, axis, group)));
        });
        return figures;
    }

    /** The numeric parameter with the most values. */
    private static @Nullable String axis(List<Measurement> measurements) {
        String axis = null;
        int most = POINTS_OF_A_LINE - 1;
        for (String parameter : measurements.get(0).parameters().keySet()) {
            final Set<Double> values = new LinkedHashSet<>();
            final boolean numeric = measurements.stream().allMatch(measurement -> {
                final OptionalDouble number = number(measurement, parameter);
                number.ifPresent(values::add);
                return number.isPresent();
            });
            if (numeric && values.size() > most) {
                axis = parameter;
                most = values.size();
            }
        }
        return axis;
    }

    private static OptionalDouble number(Measurement measurement, @Nullable String parameter) {
        final String text = parameter == null ? null : measurement.parameters().get(parameter);
        if (text == null) {
            return OptionalDouble.empty();
        }
        try {
            return OptionalDouble.of(Double.parseDouble(text));
        } catch (NumberFormatException e) {
            return OptionalDouble.empty();
        }
    }

    private static SortedMap<String, String> without(SortedMap<String, String> parameters, @Nullable String axis) {
        final SortedMap<String, String> others = new TreeMap<>(parameters);
        if (axis != null) {
            others.remove(axis);
        }
        return others;
    }
}
