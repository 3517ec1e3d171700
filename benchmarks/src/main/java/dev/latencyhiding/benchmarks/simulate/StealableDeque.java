package dev.latencyhiding.benchmarks.simulate;

/** A deque of ProWS-R: with a state, and a place in at most one stealable set. */
final class StealableDeque extends NodeDeque {
    enum State {
        ACTIVE,
        SUSPENDED,
        RESUMABLE,
        MUGGABLE
    }

    /** In no stealable set. */
    static final int UNLISTED = -1;

    State state = State.ACTIVE;
    /** The worker whose stealable set holds this deque. */
    int listedAt = UNLISTED;
    /** The place in that set. */
    int slot;
}
