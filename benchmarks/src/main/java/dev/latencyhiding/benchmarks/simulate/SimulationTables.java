package dev.latencyhiding.benchmarks.simulate;

import dev.latencyhiding.benchmarks.simulate.Experiment.Run;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Simulations as text. */
final class SimulationTables {
    private record Case(DagKind kind, int latency) {}

    private final PrintWriter out;

    SimulationTables(PrintWriter out) {
        this.out = out;
    }

    void print(List<Run> runs) {
        final Map<Case, List<Run>> cases = runs.stream()
                .collect(Collectors.groupingBy(
                        run -> new Case(run.kind(), run.latency()), LinkedHashMap::new, Collectors.toList()));
        cases.forEach(this::printCase);
        printConstants(runs);
    }

    private void printCase(Case one, List<Run> runs) {
        final Outcome first = runs.get(0).outcome();
        line(
                "%n%s, latency %,d: T₁ %,d, T∞ %,d, %,d waits",
                SimulationResults.name(one.kind()), one.latency(), first.work(), first.span(), first.waits());
        line(
                "  %-8s %5s %12s %7s %9s %6s %11s %13s %9s %8s",
                "policy", "P", "makespan", "×bound", "speed-up", "c", "steals", "failed", "muggings", "deques");
        for (Run run : runs) {
            final Outcome outcome = run.outcome();
            line(
                    "  %-8s %5d %,12d %7.2f %9.2f %6.2f %,11d %,13d %,9d %,8d",
                    run.algorithm(),
                    outcome.workers(),
                    outcome.makespan(),
                    outcome.makespan() / outcome.lowerBound(),
                    outcome.speedup(),
                    outcome.constant(),
                    outcome.steals(),
                    outcome.failedSteals(),
                    outcome.muggings(),
                    outcome.maxDeques());
        }
    }

    /** The largest c of each algorithm on each kind of dag, over all latencies and numbers of workers. */
    private void printConstants(List<Run> runs) {
        line("%nMakespan ≤ T₁/P + c·T∞·lg P: the largest c, and with nothing but the nodes in T₁");
        final Map<DagKind, Map<Algorithm, List<Run>>> table = runs.stream()
                .collect(Collectors.groupingBy(
                        Run::kind,
                        LinkedHashMap::new,
                        Collectors.groupingBy(Run::algorithm, LinkedHashMap::new, Collectors.toList())));
        table.forEach((kind, algorithms) -> line(
                "  %-12s %s",
                SimulationResults.name(kind),
                algorithms.entrySet().stream()
                        .map(entry -> constants(entry.getKey(), entry.getValue()))
                        .collect(Collectors.joining("   "))));
        out.flush();
    }

    private static String constants(Algorithm algorithm, List<Run> runs) {
        final Outcome worst = runs.stream()
                .map(Run::outcome)
                .max(Comparator.comparingDouble(Outcome::constant))
                .orElseThrow();
        final double bare = runs.stream()
                .mapToDouble(run -> run.outcome().bareConstant())
                .max()
                .orElseThrow();
        return String.format(
                Locale.ROOT, "%s %.2f at P = %d (%.2f)", algorithm, worst.constant(), worst.workers(), bare);
    }

    private void line(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }
}
