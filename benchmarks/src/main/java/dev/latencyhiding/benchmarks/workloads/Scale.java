package dev.latencyhiding.benchmarks.workloads;

/** How large the workloads are. */
public enum Scale {
    /** Just enough to run every line: for tests. */
    TINY,
    /** The whole suite in a few minutes. */
    QUICK,
    /** As the bars ask for. */
    FULL;

    /**
     * Chooses by scale.
     *
     * @param tiny the value for tests
     * @param quick the value for a quick run
     * @param full the value for a full run
     * @return one of them
     */
    public int pick(int tiny, int quick, int full) {
        return switch (this) {
            case TINY -> tiny;
            case QUICK -> quick;
            case FULL -> full;
        };
    }
}
