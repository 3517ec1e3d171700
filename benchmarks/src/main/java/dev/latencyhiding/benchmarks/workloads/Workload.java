package dev.latencyhiding.benchmarks.workloads;

import java.util.List;

/** A program that runs on any dispatcher. */
public interface Workload {
    /**
     * The name of the workload on the command line.
     *
     * @return one lower-case word
     */
    String name();

    /**
     * What the workload shows.
     *
     * @return one line
     */
    String shows();

    /**
     * The cases to measure, in the order of the report.
     *
     * @param scale how large they are
     * @return at least one case
     */
    List<Case> cases(Scale scale);
}
