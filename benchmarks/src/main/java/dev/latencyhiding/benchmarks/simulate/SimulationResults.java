package dev.latencyhiding.benchmarks.simulate;

import dev.latencyhiding.benchmarks.BarResult;
import dev.latencyhiding.benchmarks.BarResult.Verdict;
import dev.latencyhiding.benchmarks.Better;
import dev.latencyhiding.benchmarks.Environment;
import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.Results;
import dev.latencyhiding.benchmarks.simulate.Experiment.Run;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Turns simulations into what all reports are made of. */
final class SimulationResults {
    private static final int BAR = 17;
    private static final double LIMIT = 4;

    private SimulationResults() {}

    static Results of(List<Run> runs, Environment environment) {
        final List<Measurement> measurements = new ArrayList<>();
        add(measurements, runs, "makespan", "units", Outcome::makespan);
        add(measurements, runs, "c", "", Outcome::constant);
        add(measurements, runs, "steals", "", Outcome::steals);
        add(measurements, runs, "failed steals", "", Outcome::failedSteals);
        add(measurements, runs, "muggings", "", Outcome::muggings);
        add(measurements, runs, "deques at most", "", Outcome::maxDeques);
        // By dag, then by metric as above.
        final Map<String, List<Measurement>> byDag = measurements.stream()
                .collect(Collectors.groupingBy(Measurement::workload, LinkedHashMap::new, Collectors.toList()));
        return new Results(
                environment,
                byDag.values().stream().flatMap(List::stream).toList(),
                bars(runs),
                List.of(
                        "c is the smallest number for which the makespan is at most T₁/P + c·T∞·lg P (lg 1 counts as "
                                + "1), where every wait adds " + Outcome.UNITS_PER_WAIT + " units to T₁.",
                        "With nothing but the nodes in T₁, the largest c of PROWS_R is "
                                + String.format(Locale.ROOT, "%.2f", largest(runs, Outcome::bareConstant)) + "."));
    }

    /** The name of a dag on the command line and in reports. */
    static String name(DagKind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static void add(
            List<Measurement> measurements,
            List<Run> runs,
            String metric,
            String unit,
            ToDoubleFunction<Outcome> value) {
        for (Run run : runs) {
            final Outcome outcome = run.outcome();
            final double number = value.applyAsDouble(outcome);
            final TreeMap<String, String> parameters = new TreeMap<>();
            parameters.put("P", Integer.toString(outcome.workers()));
            parameters.put("latency", Integer.toString(run.latency()));
            final @Nullable Double toBound =
                    metric.equals("makespan") ? Double.valueOf(number / outcome.lowerBound()) : null;
            measurements.add(new Measurement(
                    name(run.kind()),
                    parameters,
                    run.algorithm().name(),
                    metric,
                    unit,
                    Better.LOWER,
                    number,
                    0,
                    List.of(number),
                    null,
                    null,
                    toBound));
        }
    }

    private static List<BarResult> bars(List<Run> runs) {
        return runs.stream()
                .filter(run -> run.algorithm() == Algorithm.PROWS_R)
                .collect(Collectors.groupingBy(Run::kind, LinkedHashMap::new, Collectors.toList()))
                .entrySet()
                .stream()
                .map(dag -> bar(name(dag.getKey()), dag.getValue()))
                .toList();
    }

    private static BarResult bar(String subject, List<Run> runs) {
        final double constant = largest(runs, Outcome::constant);
        final int workers =
                runs.stream().mapToInt(run -> run.outcome().workers()).max().orElseThrow();
        return new BarResult(
                BAR,
                "makespan ≤ T₁/P + c·T∞·lg P with one c ≤ 4 for all dags",
                subject + ", P ≤ " + workers,
                constant <= LIMIT ? Verdict.MET : Verdict.MISSED,
                constant,
                LIMIT);
    }

    private static double largest(List<Run> runs, ToDoubleFunction<Outcome> constant) {
        return runs.stream()
                .filter(run -> run.algorithm() == Algorithm.PROWS_R)
                .map(Run::outcome)
                .map(constant::applyAsDouble)
                .max(Comparator.naturalOrder())
                .orElse(Double.NaN);
    }
}
