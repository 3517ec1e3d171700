package dev.latencyhiding.benchmarks.jmh;

import dev.latencyhiding.benchmarks.Better;
import dev.latencyhiding.benchmarks.Environment;
import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.OutputOptions;
import dev.latencyhiding.benchmarks.Results;
import dev.latencyhiding.benchmarks.peers.Peers;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The sub-command {@code jmh}. */
@Command(
        name = "jmh",
        mixinStandardHelpOptions = true,
        description = {
            "Runs the JMH micro-benchmarks, with the allocation of each operation.",
            "",
            "They show what a single operation costs without contention; whether that matters, `compare` tells.",
            ""
        },
        footer = {"", "Example: java -jar benchmarks.jar jmh --quick Checkpoint"})
public final class JmhCommand implements Callable<Integer> {
    private static final String ALLOCATION = "gc.alloc.rate.norm";

    /** How long each benchmark is run. */
    private enum Length {
        TINY(1, 1, 10),
        QUICK(1, 3, 300),
        FULL(3, 5, 500);

        private final int forks;
        private final int iterations;
        private final int millis;

        Length(int forks, int iterations, int millis) {
            this.forks = forks;
            this.iterations = iterations;
            this.millis = millis;
        }
    }

    @Parameters(
            arity = "0..*",
            paramLabel = "REGEX",
            description = "Benchmarks whose name contains a match; all by default.")
    private List<String> patterns = List.of();

    @Option(names = "--quick", description = "One fork and short iterations: good for a first look only.")
    private boolean quick;

    @Option(names = "--tiny", hidden = true, description = "For tests: a length at which nothing can be measured.")
    private boolean tiny;

    @Spec
    private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() throws Exception {
        Environment environment = Environment.here(1, spec.commandLine());
        List<Measurement> measurements = new ArrayList<>();
        for (RunResult run : run(tiny ? Length.TINY : quick ? Length.QUICK : Length.FULL)) {
            String name = nameOf(run.getParams().getBenchmark());
            measurements.add(measurement(name, "time", run.getPrimaryResult()));
            Result<?> allocation = run.getSecondaryResults().get(ALLOCATION);
            if (allocation != null) {
                measurements.add(measurement(name, "allocation", allocation));
            }
        }
        output.write(new Results(environment, measurements, List.of(), List.of()));
        return 0;
    }

    private Collection<RunResult> run(Length length) throws RunnerException {
        TimeValue time = TimeValue.milliseconds(length.millis);
        ChainedOptionsBuilder options = new OptionsBuilder()
                .addProfiler(GCProfiler.class)
                .forks(length.forks)
                .warmupIterations(length.iterations)
                .warmupTime(time)
                .measurementIterations(length.iterations)
                .measurementTime(time);
        patterns.forEach(options::include);
        try {
            return new Runner(options.build()).run();
        } catch (NoBenchmarksException e) {
            throw new ParameterException(spec.commandLine(), "No benchmark has a match of " + patterns, e);
        }
    }

    /** Class and method, without the package. */
    private static String nameOf(String benchmark) {
        int method = benchmark.lastIndexOf('.');
        return benchmark.substring(benchmark.lastIndexOf('.', method - 1) + 1);
    }

    private static Measurement measurement(String benchmark, String metric, Result<?> result) {
        double score = result.getScore();
        double error = result.getScoreError();
        return new Measurement(
                "jmh",
                new TreeMap<>(Map.of("benchmark", benchmark)),
                Peers.OURS,
                metric,
                result.getScoreUnit(),
                Better.LOWER,
                score,
                Double.isNaN(error) || score == 0 ? 0 : error / score,
                List.of(score),
                null,
                null,
                null);
    }
}
