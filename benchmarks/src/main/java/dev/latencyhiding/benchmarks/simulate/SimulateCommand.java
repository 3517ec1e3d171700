package dev.latencyhiding.benchmarks.simulate;

import dev.latencyhiding.benchmarks.BarResult;
import dev.latencyhiding.benchmarks.Environment;
import dev.latencyhiding.benchmarks.OutputOptions;
import dev.latencyhiding.benchmarks.Results;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The sub-command {@code simulate}. */
@Command(
        name = "simulate",
        mixinStandardHelpOptions = true,
        description = {
            "Simulates the three schedulers of the literature on more workers than a machine has.",
            "",
            "Deterministic: the same options give the same figures everywhere. Time is in units: a node takes its "
                    + "weight, an attempt to steal one unit. Every run is checked: each node once, none too early.",
            ""
        },
        footer = {"", "Example: java -jar benchmarks.jar simulate --dag map-reduce --p 1..1024 --html sim.html"})
public final class SimulateCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

    @Option(
            names = {"-d", "--dag"},
            split = ",",
            converter = KindConverter.class,
            paramLabel = "KIND",
            description = "fork-join, map-reduce, pipeline, server or random; all by default.")
    private List<DagKind> kinds = List.of(DagKind.values());

    @Option(
            names = "--policy",
            split = ",",
            paramLabel = "POLICY",
            description = "${COMPLETION-CANDIDATES}; all by default.")
    private List<Algorithm> algorithms = List.of(Algorithm.values());

    @Option(
            names = {"-p", "--p"},
            paramLabel = "RANGE",
            defaultValue = "1..4096",
            description = "Numbers of workers; of a range, the powers of two. Default: ${DEFAULT-VALUE}.")
    private String workers = "";

    @Option(
            names = "--latency",
            split = ",",
            paramLabel = "UNITS",
            defaultValue = "0,10,1000",
            description = "How long a wait takes; 0 for none. Default: ${DEFAULT-VALUE}.")
    private List<Integer> latencies = List.of();

    @Option(names = "--size", defaultValue = "20000", description = "Pieces of work; default: ${DEFAULT-VALUE}.")
    private int size;

    @Option(
            names = "--grain",
            paramLabel = "UNITS",
            defaultValue = "10",
            description = "How long a piece of work takes; default: ${DEFAULT-VALUE}.")
    private int grain;

    @Option(names = "--seed", defaultValue = "1", description = "Of all that is random; default: ${DEFAULT-VALUE}.")
    private long seed;

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() throws Exception {
        final CommandLine commandLine = spec.commandLine();
        final Experiment experiment = experiment();
        final List<Experiment.Run> runs = experiment.run();
        new SimulationTables(commandLine.getOut()).print(runs);
        final Environment environment = Environment.here(Collections.max(experiment.workers()), commandLine);
        final Results results = SimulationResults.of(runs, environment);
        output.write(results);
        return results.bars().stream().allMatch(bar -> bar.verdict() == BarResult.Verdict.MET) ? 0 : 1;
    }

    private Experiment experiment() {
        try {
            latencies.forEach(latency -> new DagShape(size, grain, latency, seed));
            return new Experiment(kinds, algorithms, WorkerCounts.parse(workers), latencies, size, grain, seed);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /** Reads {@code map-reduce} as well as {@code MAP_REDUCE}. */
    static final class KindConverter implements CommandLine.ITypeConverter<DagKind> {
        @Override
        public DagKind convert(String value) {
            for (DagKind kind : DagKind.values()) {
                if (SimulationResults.name(kind).equals(value) || kind.name().equals(value)) {
                    return kind;
                }
            }
            throw new CommandLine.TypeConversionException(
                    "unknown dag '" + value + "'; known are fork-join, map-reduce, pipeline, server, random");
        }
    }
}
