package dev.latencyhiding.benchmarks.simulate;

import java.util.ArrayList;
import java.util.List;

/**
 * Which simulations to run: every kind of dag with every latency, on every number of workers, by every algorithm.
 *
 * @param kinds the dags
 * @param algorithms the schedulers
 * @param workers the numbers of workers
 * @param latencies how long waits take
 * @param size how large the dags are, see {@link DagShape}
 * @param grain how long a piece of work takes
 * @param seed decides what is random in the dags and which victims are chosen
 */
record Experiment(
        List<DagKind> kinds,
        List<Algorithm> algorithms,
        List<Integer> workers,
        List<Integer> latencies,
        int size,
        int grain,
        long seed) {

    /** A simulation and how it went. */
    record Run(DagKind kind, int latency, Algorithm algorithm, Outcome outcome) {}

    private record Task(DagKind kind, Dag dag, int latency, Algorithm algorithm, int workers) {}

    /** Runs all of them, on all processors; the order of the runs is always the same, and so are they. */
    List<Run> run() {
        final List<Task> tasks = new ArrayList<>();
        for (DagKind kind : kinds) {
            for (int latency : latencies) {
                final Dag dag = kind.build(new DagShape(size, grain, latency, seed));
                for (Algorithm algorithm : algorithms) {
                    workers.forEach(count -> tasks.add(new Task(kind, dag, latency, algorithm, count)));
                }
            }
        }
        return tasks.parallelStream()
                .map(task -> new Run(
                        task.kind(),
                        task.latency(),
                        task.algorithm(),
                        task.algorithm().run(task.dag(), task.workers(), seed)))
                .toList();
    }
}
