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
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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

    @Parameters(
            arity = "0..*",
            paramLabel = "REGEX",
            description = "Benchmarks whose name contains a match; all by default.")
    private List<String> patterns = List.of();

    @Option(names = "--quick", description = "One fork and short iterations: good for a first look only.")
    private boolean quick;

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() throws Exception {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .addProfiler(GCProfiler.class)
                .forks(quick ? 1 : 3)
                .warmupIterations(quick ? 2 : 5)
                .warmupTime(TimeValue.milliseconds(quick ? 300 : 500))
                .measurementIterations(quick ? 3 : 5)
                .measurementTime(TimeValue.milliseconds(quick ? 300 : 500));
        patterns.forEach(options::include);
        Environment environment = Environment.here(1, "jmh " + String.join(" ", patterns));
        Collection<RunResult> runs = new Runner(options.build()).run();
        List<Measurement> measurements = new ArrayList<>();
        for (RunResult run : runs) {
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
