package dev.latencyhiding.benchmarks.workloads;

import java.util.List;
import java.util.stream.Collectors;

/** The workloads that are known by name. */
public final class Workloads {
    private static final List<Workload> ALL = List.of(
            new Fib(),
            new Launch(),
            new Yield(),
            new ChannelPairs(),
            new Actors(),
            new Delays(),
            new MapReduce(),
            new Sweep(),
            new Quicksort(),
            new ForkJoin(),
            new Ticker(),
            new External(),
            new Echo(),
            new MixedService(),
            new MemoryUse(),
            new Idle());

    private Workloads() {}

    /**
     * All workloads, in the order of the report.
     *
     * @return the workloads
     */
    public static List<Workload> all() {
        return ALL;
    }

    /**
     * A workload by its name.
     *
     * @param name the name
     * @return the workload
     * @throws IllegalArgumentException if there is none of that name; the message lists those that there are
     */
    public static Workload named(String name) {
        return ALL.stream()
                .filter(workload -> workload.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("Unknown workload '" + name + "'; known are "
                        + ALL.stream().map(Workload::name).collect(Collectors.joining(", "))));
    }
}
