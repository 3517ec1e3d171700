package dev.latencyhiding;

/**
 * What is behind a {@link Policy}: the workers it makes, and where a node goes that comes back. One
 * for each scheduler.
 */
abstract class Algorithm {
    final SchedulerCore core;

    Algorithm(SchedulerCore core) {
        this.core = core;
    }

    static Algorithm of(Policy policy, SchedulerCore core) {
        return switch (policy) {
            case PROWS_R -> new ProwsR(core);
            case LHWS -> new Lhws(core);
            case CLASSIC -> new Classic(core);
        };
    }

    abstract Worker newWorker(int id, long seed, Gate gate, boolean spare);

    /**
     * The callback: a suspended node came back. Any thread, once for each suspension, which has the node
     * already.
     *
     * @param deque where the suspension was opened
     * @param counters of the calling thread
     */
    abstract void resume(Suspension suspension, ProwsDeque deque, Counters counters);

    /** A suspension of the deque was withdrawn. Any thread, once for each suspension. */
    abstract void release(ProwsDeque deque, Counters counters);

    /** From now on nobody waits for suspensions, see {@link SchedulerCore#isAbandoned}. */
    void abandonSuspensions() {}
}
