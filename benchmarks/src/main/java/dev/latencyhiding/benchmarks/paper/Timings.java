package dev.latencyhiding.benchmarks.paper;

import dev.latencyhiding.LatencyHidingScheduler;
import dev.latencyhiding.Policy;
import dev.latencyhiding.benchmarks.Progress;
import dev.latencyhiding.benchmarks.paper.MapReduce.Task;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Times programs round by round, so that what disturbs the machine for a while hits all of them alike. */
final class Timings {
    /** A program on a scheduler. */
    record Timed(Policy policy, int workers, Task task) {}

    private record Where(Policy policy, int workers) {}

    private final Map<Timed, double[]> times = new HashMap<>();

    /** Times each of the programs in each round. */
    Timings(Set<Timed> programs, int rounds) {
        final Map<Where, LatencyHidingScheduler> schedulers = new HashMap<>();
        try (Progress progress = Progress.of((long) rounds * programs.size())) {
            for (int round = 0; round < rounds; round++) {
                for (Timed program : programs) {
                    progress.step(program.policy() + ", P = " + program.workers());
                    final LatencyHidingScheduler scheduler =
                            schedulers.computeIfAbsent(new Where(program.policy(), program.workers()), Timings::start);
                    final long nanos = MapReduce.nanos(scheduler, program.task());
                    times.computeIfAbsent(program, key -> new double[rounds])[round] =
                            nanos / 1e6 / program.task().leaves();
                }
            }
        } finally {
            schedulers.values().forEach(LatencyHidingScheduler::close);
        }
    }

    /** The time per leaf of a program in each round, in milliseconds. */
    double[] of(Timed program) {
        final double[] measured = times.get(program);
        if (measured == null) {
            throw new IllegalArgumentException("not timed: " + program);
        }
        return measured;
    }

    /** Spare workers would stand in for those that CLASSIC blocks, which is not what the literature measured. */
    private static LatencyHidingScheduler start(Where where) {
        final LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
                .policy(where.policy())
                .parallelism(where.workers())
                .maxSpareWorkers(0)
                .build();
        // Warms up both paths of the program.
        MapReduce.nanos(scheduler, Task.sweep(2000, 15, 0.5, 1000));
        return scheduler;
    }
}
