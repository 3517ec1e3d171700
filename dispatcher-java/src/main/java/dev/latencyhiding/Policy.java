package dev.latencyhiding;

/**
 * How a scheduler deals with a node that waits: the three schedulers of the literature. All run the same
 * programs by the same API. {@link #PROWS_R} is the default, and the only one that bounds how late a
 * resumed node starts; the others are for comparison.
 */
public enum Policy {
    /**
     * Proactive work stealing with suspendable deques: a worker whose node blocks gives its whole deque
     * away and steals elsewhere; the deque is taken over when its node comes back. Runs a computation
     * of work T₁ and span T∞ on P workers in O(T₁/P + T∞ lg P), however many operations wait.
     */
    PROWS_R,

    /**
     * Latency-hiding work stealing: a worker whose node blocks goes on with its deque, and owns as many
     * deques as it has waiting nodes on different ones. Nodes that come back to a deque are injected at
     * its bottom as a balanced tree. Thieves choose among all deques, waiting ones included, so the bound
     * grows with U, the number of operations that wait at a time: O(T₁/P + T∞ U (1 + lg U)).
     */
    LHWS,

    /**
     * Classic work stealing: one deque for each worker, and a node that waits blocks its worker. In
     * O(T₁/P + T∞) if nothing waits; otherwise every wait is time in which the worker does nothing. Nodes
     * that wait for each other need as many workers, else they wait for ever.
     */
    CLASSIC
}
