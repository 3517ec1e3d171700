package dev.latencyhiding;

/**
 * The four states of a {@link ProwsDeque}. Every change is one compare-and-set in that class.
 *
 * <pre>
 * from        event                                       to          performed by
 * ---------   -----------------------------------------   ---------   ----------------------------
 * ACTIVE      its node returned blocked                   SUSPENDED   owner            trySuspend
 * ACTIVE      the owner goes on with another deque and    MUGGABLE    owner            leave
 *             has taken a node off it
 * ACTIVE      a retiring owner leaves it as it was        RESUMABLE   owner            leave
 * SUSPENDED   a node came back                            RESUMABLE   resumer          deliver
 * SUSPENDED   its last suspension was withdrawn           RESUMABLE   releaser         withdraw
 * SUSPENDED   thieves emptied it: its array is taken      ACTIVE      thief, for a     tryClaim
 *             away, then it is suspended again                        moment
 * RESUMABLE   a node was stolen and others remain         MUGGABLE    thief            tryMarkMuggable
 * RESUMABLE   its resumed node is taken off the bottom    ACTIVE      worker, wake-up  tryClaim
 * MUGGABLE    it is mugged                                ACTIVE      thief            tryClaim
 * </pre>
 *
 * This is the table of ProWS-R. Under the other policies a deque stays with one worker whatever its
 * state, see {@link LhwsDeque} and {@link ClassicDeque}.
 *
 * <p>A deque that is empty, active and has no open suspension can be freed: it stays ACTIVE, belongs to
 * nobody but the worker whose pool it is in, and is recycled or becomes garbage.
 */
enum DequeState {
    /** One worker owns it: that worker alone pushes and pops at the bottom. Any thief may steal. */
    ACTIVE,

    /** The node last taken off the bottom waits. Nobody owns the bottom; thieves may steal the rest. */
    SUSPENDED,

    /** All its nodes are ready and nobody works on them. One must be stolen before it is mugged. */
    RESUMABLE,

    /** As RESUMABLE, and a node was taken off it since: a worker may take it over whole. */
    MUGGABLE;

    private static final DequeState[] VALUES = values();

    static DequeState of(int ordinal) {
        return VALUES[ordinal];
    }
}
