package dev.latencyhiding;

/**
 * How a scheduler deals with a node that waits.
 *
 * <p>{@link #PROWS_R} is the only one so far; it is the default.
 */
public enum Policy {
    /**
     * Proactive work stealing with suspendable deques: a worker whose node blocks gives its whole deque
     * away and steals elsewhere; the deque is taken over when its node comes back. Runs a computation
     * of work T₁ and span T∞ on P workers in O(T₁/P + T∞ lg P), however many operations wait.
     */
    PROWS_R
}
