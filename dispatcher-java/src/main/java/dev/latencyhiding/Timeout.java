package dev.latencyhiding;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Something that happens after a while, unless it is cancelled before. Started by {@link
 * LatencyHidingScheduler#after(long, TimeUnit, Runnable)}; or, where every object counts, subclassed and
 * started by {@link LatencyHidingScheduler#after(long, TimeUnit, Timeout)}, since it is the entry of the
 * timer itself.
 */
public abstract class Timeout {
    /** Not in the wheel: fired, cancelled, or not started yet. */
    static final int NOWHERE = (1 << Timeout.PLACE_BITS) - 1;

    private static final int PLACE_BITS = 10;

    @Nullable Timeout previous;

    @Nullable Timeout next;

    /** Set when it is started, and never again. */
    Timer.@Nullable Shard shard;

    /**
     * When to fire, in ticks of the wheel; and in the lowest bits the list that it is in, as an index over
     * all levels. One word, because there may be a million of these. Guarded by the shard's lock, as are
     * the links.
     */
    private long tickAndPlace = NOWHERE;

    /** For subclasses. */
    protected Timeout() {}

    /**
     * Called once when the time has come, or when the scheduler terminates: on the timer's thread, or, if
     * that is late, on a worker between two nodes, which is nobody's worker meanwhile. Other timers wait
     * until it returns.
     */
    protected abstract void fire();

    /**
     * Withdraws it. Takes constant time, and the timer refers to it no more.
     *
     * @return true if it will not fire because of this call; false if it fired, is about to fire, was
     *     cancelled before or not started
     */
    public final boolean cancel() {
        final Timer.Shard shard = this.shard;
        return shard != null && shard.cancel(this);
    }

    final long tick() {
        return tickAndPlace >>> PLACE_BITS;
    }

    final void setTick(long tick) {
        tickAndPlace = (tick << PLACE_BITS) | place();
    }

    final int place() {
        return (int) tickAndPlace & NOWHERE;
    }

    final void setPlace(int place) {
        tickAndPlace = (tickAndPlace & ~(long) NOWHERE) | place;
    }

    @Override
    public String toString() {
        return "Timeout[" + (place() == NOWHERE ? "over" : "waiting") + "]";
    }

    /** Runs an action. */
    static final class OfAction extends Timeout {
        /** Null when it fired or was cancelled: whoever holds the timeout does not keep the action alive. */
        private volatile @Nullable Runnable action;

        OfAction(Runnable action) {
            this.action = action;
        }

        @Override
        protected void fire() {
            final Runnable action = this.action;
            if (action != null) {
                this.action = null;
                action.run();
            }
        }

        @Override
        void forget() {
            action = null;
        }
    }

    /** Called when it was cancelled. */
    void forget() {}
}
