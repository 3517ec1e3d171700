package dev.latencyhiding.benchmarks.paper;

import dev.latencyhiding.Policy;
import dev.latencyhiding.benchmarks.BarResult;
import dev.latencyhiding.benchmarks.BarResult.Verdict;
import dev.latencyhiding.benchmarks.Environment;
import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.OutputOptions;
import dev.latencyhiding.benchmarks.Results;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The sub-command {@code paper}. */
@Command(
        name = "paper",
        mixinStandardHelpOptions = true,
        description = {
            "Measures the tables of the literature on this machine, beside the published figures.",
            "",
            "All values are ratios of times of the same round. A latency δ is named as in the source; here it is the "
                    + "same multiple of a leaf's work as there.",
            ""
        },
        footer = {"", "Example: java -jar benchmarks.jar paper --quick --html paper.html"})
public final class PaperCommand implements Callable<Integer> {
    private static final int ROUNDS = 3;
    private static final int BAR = 7;
    private static final double LIMIT = 1.01;

    @Spec
    private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

    @Option(names = "--quick", description = "Fewer and smaller leaves: less than a minute.")
    private boolean quick;

    @Option(names = "--leaves", description = "Leaves of the map and reduce; default: 5000, or 500 with --quick.")
    private int leaves;

    @Option(names = "--rounds", description = "How often each program is timed; default: ${DEFAULT-VALUE}.")
    private int rounds = ROUNDS;

    @Option(
            names = {"-p", "--p"},
            split = ",",
            description = "Numbers of workers; default: 1 and the number of processors.")
    private List<Integer> workers = List.of(1, Runtime.getRuntime().availableProcessors());

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() throws Exception {
        final PrintWriter out = spec.commandLine().getOut();
        final List<Integer> counts = List.copyOf(new TreeSet<>(workers));
        if (rounds < 1 || counts.get(0) < 1 || leaves < 0) {
            throw new ParameterException(spec.commandLine(), "--rounds, --leaves and --p must be at least 1");
        }
        PaperScale scale = quick ? PaperScale.QUICK : PaperScale.FULL;
        scale = leaves == 0 ? scale : scale.withLeaves(leaves);
        final Results results = measure(scale, counts);
        print(results.measurements(), out);
        output.write(results);
        return 0;
    }

    private Results measure(PaperScale scale, List<Integer> counts) {
        final Environment environment = Environment.here(Collections.max(counts), spec.commandLine());
        final List<Measurement> measurements = new ArrayList<>(Experiments.run(scale, counts, rounds));
        final List<BarResult> bars = bars(measurements);
        measurements.addAll(Published.all());
        // By experiment, measured figures first.
        final Map<String, List<Measurement>> byExperiment = measurements.stream()
                .collect(Collectors.groupingBy(Measurement::workload, LinkedHashMap::new, Collectors.toList()));
        return new Results(
                environment,
                byExperiment.values().stream().flatMap(List::stream).toList(),
                bars,
                List.of(
                        String.format(
                                Locale.ROOT,
                                "A leaf of the map and reduce is fib(%d) and takes %.3f ms here; there are %d of them.",
                                scale.fib(),
                                scale.nanosOf(scale.fib()) / 1e6,
                                scale.leaves()),
                        Published.WEIDINGER
                                + ": the author's own data for Need for Speed: Latency-Hiding Work-Stealing "
                                + "(2022), 5000 leaves of fib(30), up to 72 hardware threads.",
                        Published.MULLER_ACAR + ", " + Published.MULLER_ACAR_WS + ": Latency-Hiding Work Stealing, "
                                + "SPAA 2016, figure 11, read off the plot; 5000 leaves.",
                        "In the sweep, long leaves stand beside the published ones of 100 ms and short ones beside "
                                + "those of 1 ms; the published ones ran on all of that machine's cores."));
    }

    private static List<BarResult> bars(List<Measurement> measurements) {
        return measurements.stream()
                .filter(value -> value.workload().equals(Ratio.NOTHING_WAITS.workload()))
                .filter(value -> value.dispatcher().equals(Policy.PROWS_R.name()))
                .map(value -> new BarResult(
                        BAR,
                        "no latency at all: PROWS_R ≤ 1.01 × CLASSIC",
                        "map and reduce, P = " + value.parameters().get("P"),
                        verdict(value),
                        value.value(),
                        LIMIT))
                .toList();
    }

    private static Verdict verdict(Measurement value) {
        if (value.value() <= LIMIT) {
            return Verdict.MET;
        }
        return value.value() * (1 - value.spread()) <= LIMIT ? Verdict.LEVEL : Verdict.MISSED;
    }

    private static void print(List<Measurement> measurements, PrintWriter out) {
        final Map<String, List<Measurement>> cases = measurements.stream()
                .collect(Collectors.groupingBy(PaperCommand::caseOf, LinkedHashMap::new, Collectors.toList()));
        cases.forEach((name, values) -> out.println(String.format(Locale.ROOT, "%-52s ", name)
                + values.stream()
                        .map(value -> String.format(
                                Locale.ROOT,
                                "%s %.3f%s",
                                value.dispatcher(),
                                value.value(),
                                value.spread() == 0
                                        ? ""
                                        : String.format(Locale.ROOT, " ±%.1f %%", 100 * value.spread())))
                        .collect(Collectors.joining("   "))));
        out.flush();
    }

    private static String caseOf(Measurement value) {
        return value.workload() + ": " + value.metric()
                + value.parameters().entrySet().stream()
                        .map(parameter -> ", " + parameter.getKey() + " " + parameter.getValue())
                        .collect(Collectors.joining());
    }
}
