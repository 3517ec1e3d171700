package dev.latencyhiding.benchmarks.paper;

import dev.latencyhiding.Policy;
import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.compare.Statistics;
import dev.latencyhiding.benchmarks.paper.MapReduce.Task;
import dev.latencyhiding.benchmarks.paper.Timings.Timed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.DoubleStream;

/** The literature's experiments: which programs are timed, and which ratios are made of the times. */
final class Experiments {
    static final String LONG_LEAVES = "long";
    static final String SHORT_LEAVES = "short";

    private static final List<Policy> HIDING = List.of(Policy.PROWS_R, Policy.LHWS);

    /** A ratio of two times, to be measured. */
    private record Wanted(Ratio ratio, SortedMap<String, String> parameters, Policy policy, Timed time, Timed unit) {}

    private final PaperScale scale;
    private final List<Wanted> wanted = new ArrayList<>();

    private Experiments(PaperScale scale) {
        this.scale = scale;
    }

    /** Times everything on each of these numbers of workers, so many rounds, and returns the ratios. */
    static List<Measurement> run(PaperScale scale, List<Integer> workers, int rounds) {
        final Experiments experiments = new Experiments(scale);
        workers.forEach(experiments::planMapReduce);
        experiments.planSweep(workers.get(workers.size() - 1));
        return experiments.measure(rounds);
    }

    private void planMapReduce(int workers) {
        final String p = Integer.toString(workers);
        final Timed classicNoLatency = hiding(Policy.CLASSIC, workers, 0);
        for (Policy policy : HIDING) {
            final Timed noLatency = hiding(policy, workers, 0);
            want(Ratio.NOTHING_WAITS, Map.of("P", p), policy, noLatency, classicNoLatency);
            Published.WEIDINGER_LATENCIES.forEach((latency, inLeaves) -> {
                final Map<String, String> parameters = Map.of("P", p, "δ", latency);
                final Timed waiting = hiding(policy, workers, inLeaves);
                want(Ratio.SLOWDOWN, parameters, policy, waiting, noLatency);
                want(Ratio.GAIN, parameters, policy, blocking(workers, inLeaves), waiting);
            });
        }
        Published.MULLER_ACAR_LATENCIES.forEach((latency, inLeaves) -> {
            final Map<String, String> parameters = Map.of("P", p, "δ", latency);
            final Timed unit = blocking(1, inLeaves);
            HIDING.forEach(policy -> want(Ratio.SPEEDUP, parameters, policy, unit, hiding(policy, workers, inLeaves)));
            want(Ratio.SPEEDUP, parameters, Policy.CLASSIC, unit, blocking(workers, inLeaves));
        });
    }

    private void planSweep(int workers) {
        scale.sweepFibs().forEach((leaves, fib) -> {
            for (Policy policy : HIDING) {
                for (double share : Published.SHARES) {
                    want(
                            Ratio.SWEEP,
                            Map.of("leaves", leaves, "waiting", Double.toString(share)),
                            policy,
                            sweep(policy, workers, fib, share),
                            sweep(policy, workers, fib, 0));
                }
            }
        });
    }

    /** Times are per leaf, so that programs of different size can be compared. */
    private Timed hiding(Policy policy, int workers, double latencyInLeaves) {
        return new Timed(
                policy, workers, Task.mapReduce(scale.leaves(), scale.fib(), scale.latencyNanos(latencyInLeaves)));
    }

    /** Every wait blocks a worker, so that a part of the leaves tells how long one takes. */
    private Timed blocking(int workers, double latencyInLeaves) {
        final int leaves = Math.max(1, scale.leaves() / PaperScale.CLASSIC_PART);
        return new Timed(
                Policy.CLASSIC, workers, Task.mapReduce(leaves, scale.fib(), scale.latencyNanos(latencyInLeaves)));
    }

    private Timed sweep(Policy policy, int workers, int fib, double share) {
        return new Timed(policy, workers, Task.sweep(scale.sweepLeaves(), fib, share, scale.nanosOf(fib)));
    }

    private void want(Ratio ratio, Map<String, String> parameters, Policy policy, Timed time, Timed unit) {
        wanted.add(new Wanted(ratio, new TreeMap<>(parameters), policy, time, unit));
    }

    private List<Measurement> measure(int rounds) {
        final Set<Timed> programs = new LinkedHashSet<>();
        for (Wanted one : wanted) {
            programs.add(one.time());
            programs.add(one.unit());
        }
        final Timings timings = new Timings(programs, rounds);
        return wanted.stream().map(one -> measurement(one, timings)).toList();
    }

    private static Measurement measurement(Wanted wanted, Timings timings) {
        final double[] ratios = ratios(timings.of(wanted.time()), timings.of(wanted.unit()));
        return wanted.ratio()
                .measurement(
                        wanted.policy().name(),
                        wanted.parameters(),
                        Statistics.median(ratios),
                        Statistics.spread(ratios),
                        DoubleStream.of(ratios).boxed().toList());
    }

    private static double[] ratios(double[] times, double[] units) {
        final double[] ratios = new double[times.length];
        Arrays.setAll(ratios, round -> times[round] / units[round]);
        return ratios;
    }
}
