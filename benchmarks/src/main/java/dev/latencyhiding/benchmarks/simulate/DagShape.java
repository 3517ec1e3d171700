package dev.latencyhiding.benchmarks.simulate;

/**
 * How large a dag of some kind is to be.
 *
 * @param size about how many pieces of work: leaves, stages passed, nodes
 * @param grain how many units of time one piece takes
 * @param latency how many units one wait takes; 0 for none
 * @param seed what is random in a dag depends on this alone
 */
record DagShape(int size, int grain, int latency, long seed) {
    DagShape {
        if (size < 1 || grain < 1 || latency < 0) {
            throw new IllegalArgumentException("size and grain must be positive and the latency not negative: " + size
                    + ", " + grain + ", " + latency);
        }
    }
}
