package dev.latencyhiding;

import org.jspecify.annotations.Nullable;

/**
 * An action that waits for its time, made by {@link LatencyHidingScheduler#after}. Also the entry in
 * the {@link TimerWheel} itself, so that waiting costs one object.
 */
public final class Timeout {
    /** Not in the wheel: fired, cancelled, or not inserted yet. */
    static final int NOWHERE = -1;

    /** When to fire, in ticks of the wheel. Guarded by the shard's lock, as are place and the links. */
    long tick;

    /** The list that it is in, as an index over all levels. */
    int place = NOWHERE;

    @Nullable Timeout previous;

    @Nullable Timeout next;

    private final Timer.Shard shard;
    private @Nullable Runnable action;

    Timeout(Timer.Shard shard, long tick, Runnable action) {
        this.shard = shard;
        this.tick = tick;
        this.action = action;
    }

    /**
     * Withdraws the action. Takes constant time, and frees everything the action refers to at once.
     *
     * @return true if the action will not run because of this call; false if it ran, is about to run, or
     *     was cancelled before
     */
    public boolean cancel() {
        return shard.cancel(this);
    }

    /** Called once, by whoever took it out of the wheel. */
    @Nullable Runnable takeAction() {
        final Runnable taken = action;
        action = null;
        return taken;
    }

    @Override
    public String toString() {
        return "Timeout[" + (place == NOWHERE ? "over" : "waiting") + "]";
    }
}
