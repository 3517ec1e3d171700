package dev.latencyhiding.benchmarks.simulate;

/**
 * How a run went. Times are in units of the simulation.
 *
 * @param workers P
 * @param work T₁: what all nodes take together
 * @param span T∞: the longest path, latencies included
 * @param waits how many nodes blocked
 * @param makespan when the last node was finished
 * @param steals attempts that got a node
 * @param failedSteals attempts that did not
 * @param muggings deques taken over whole (ProWS-R)
 * @param switches changes to another deque of one's own (LHWS)
 * @param ownVertices units spent on unfolding nodes that came back together (LHWS)
 * @param maxSuspended the most nodes that waited at one time
 * @param maxDeques the most deques in use at one time
 */
record Outcome(
        int workers,
        long work,
        long span,
        int waits,
        long makespan,
        long steals,
        long failedSteals,
        long muggings,
        long switches,
        long ownVertices,
        int maxSuspended,
        int maxDeques) {

    /**
     * What a wait costs besides its latency, in units: the steal by which the worker leaves the suspended deque for
     * another node, and the steal or mugging by which someone takes up the node that came back.
     */
    static final int UNITS_PER_WAIT = 2;

    static Outcome of(Dag dag, int workers, long makespan, Tally tally) {
        return new Outcome(
                workers,
                dag.work(),
                dag.span(),
                dag.waits(),
                makespan,
                tally.steals,
                tally.failedSteals,
                tally.muggings,
                tally.switches,
                tally.ownVertices,
                tally.maxSuspended,
                tally.maxDeques);
    }

    /** No schedule of this dag is shorter. */
    double lowerBound() {
        return Math.max((double) work / workers, (double) span);
    }

    /** How often faster than one worker that never waits. */
    double speedup() {
        return (double) work / makespan;
    }

    /**
     * The smallest c for which the makespan is at most T₁/P + c·T∞·lg P, where every wait adds
     * {@link #UNITS_PER_WAIT} to T₁; 0 if T₁/P alone is enough.
     */
    double constant() {
        return constant(work + (long) UNITS_PER_WAIT * waits);
    }

    /** The same, with nothing but the nodes in T₁. */
    double bareConstant() {
        return constant(work);
    }

    private double constant(long chargedWork) {
        final double beyond = makespan - (double) chargedWork / workers;
        return Math.max(0, beyond / (span * logWorkers()));
    }

    /** lg P, but 1 for a single worker: it, too, must wait out the span. */
    private double logWorkers() {
        return Math.max(1, Math.log(workers) / Math.log(2));
    }
}
