package dev.latencyhiding;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who sleeps, who searches, and who must be woken. {@code docs/design/parking.md} has the protocol
 * and the argument that no wake-up is lost; in short:
 *
 * <pre>
 * publisher                            worker without work
 * ---------------------------------    --------------------------------------
 * publish the node                     announceSleep (counted as a sleeper)
 * full fence                           full fence
 * read the counts                      look at everything once more
 * someone sleeps, nobody searches:     found something: cancelSleep
 *   wake one, as a searcher            nothing: park
 * </pre>
 *
 * A publisher wakes nobody while somebody searches, because a searcher either finds the node, or
 * finds another one and then, if it was the last searcher and sees more, wakes the next, or announces
 * that it sleeps and looks once more.
 */
final class IdleWorkers {
    /** Something that can sleep here: a worker. */
    static final class Sleeper {
        private final Gate gate;

        /** The one that went to sleep before. Guarded by the list's lock. */
        private @Nullable Sleeper below;

        /**
         * Whether it is on the list: it sleeps, or is about to. Written under the list's lock, with the list, and before
         * unpark. Volatile, because it is read without the lock after each park: whoever was taken off the list earlier,
         * went on by itself and sleeps again, may be unparked late for that, and must sleep on.
         */
        private volatile boolean listed;

        Sleeper(Gate gate) {
            this.gate = gate;
        }
    }

    private static final int SLEEPER = 1;
    private static final int SEARCHER = 1 << 16;

    private static final VarHandle COUNTS = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "counts", VarHandle.class, IdleWorkers.class, int.class);

    private static final VarHandle NAPPERS = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "nappers", VarHandle.class, IdleWorkers.class, int.class);

    private final int maxSearchers;
    private final BooleanSupplier hasWork;

    /** May throw: later a sleeper could be left that is counted as woken, and sleeps for ever. */
    private final Runnable beforeWake;

    private final Runnable onAllBusy;

    /** Searchers in the upper half, sleepers in the lower. The latter changes with the list only. */
    private volatile int counts;

    /** Sleepers that look again soon, by themselves. Changes rarely, as the counts do. */
    private volatile int nappers;

    /**
     * The list: the worker that went to sleep last, which has the warmest cache, is the first to be woken. Guarded
     * by this.
     */
    private @Nullable Sleeper top;

    /** How often the list has changed. Guarded by this. */
    private long changes;

    /**
     * @param maxSearchers how many may search at a time; more would only compete for the same nodes
     * @param hasWork whether there is a node anywhere that a worker could take
     * @param beforeWake called before somebody is woken; may refuse by an error
     * @param onAllBusy called whenever somebody has found work, and nobody searches or sleeps any more
     */
    IdleWorkers(int maxSearchers, BooleanSupplier hasWork, Runnable beforeWake, Runnable onAllBusy) {
        this.maxSearchers = maxSearchers;
        this.hasWork = hasWork;
        this.beforeWake = beforeWake;
        this.onAllBusy = onAllBusy;
    }

    /** Call after publishing a node. */
    void signal() {
        // full fence: publish before reading the counts; pairs with the RMW in announceSleep
        VarHandle.fullFence();
        signalFork();
    }

    /**
     * As {@link #signal}, for a node that its publisher will run itself if nobody else does. There are very
     * many of these, and the fence would cost more than the rest. Without it a worker that falls asleep at
     * this very moment may be missed. That costs parallelism, not progress: the publisher looks again with
     * its next fork, and so does the {@link Watchdog} while it is awake.
     */
    void signalFork() {
        final int seen = counts;
        if (sleepers(seen) > 0 && searchers(seen) == 0) {
            wakeOne();
        }
    }

    /**
     * As {@link #signal}, for a node that is alone in its deque. Its owner will most likely take it next, so somebody
     * who naps is let alone: it looks soon. If it finds another node first, it sees to this one in stopSearching.
     */
    void signalLone() {
        // full fence: as above; also pairs with the RMW in nap, after which the napper looks
        VarHandle.fullFence();
        if (nappers == 0) {
            signalFork();
        }
    }

    /** As {@link #signal()}, but if this one sleeps, it is the one to be woken. */
    void signal(Sleeper preferred) {
        // full fence: as above
        VarHandle.fullFence();
        if (sleepers(counts) > 0 && !wakeThis(preferred)) {
            signal();
        }
    }

    /** Returns whether the caller may search now; it must then say how that ended. */
    boolean tryStartSearching() {
        if (searchers(counts) >= maxSearchers) {
            return false;
        }
        COUNTS.getAndAdd(this, SEARCHER);
        return true;
    }

    /** The caller searched and found something. The last one to do so sees to it that there is a next. */
    void stopSearching() {
        // RMW: stop before looking; pairs with the fence in signal. A publisher that relied on this
        // searcher read the counts before, so its node is seen here, if it is still there.
        final int before = (int) COUNTS.getAndAdd(this, -SEARCHER);
        if (searchers(before) > 1) {
            return;
        }
        if (sleepers(before) == 0) {
            onAllBusy.run();
        } else if (hasWork.getAsBoolean()) {
            signal();
        }
    }

    /** The caller, a searcher or not, has found nothing. It must look once more and then cancel or park. */
    void announceSleep(Sleeper sleeper, boolean searching) {
        synchronized (this) {
            changes++;
            sleeper.below = top;
            sleeper.listed = true;
            top = sleeper;
            COUNTS.getAndAdd(this, searching ? SLEEPER - SEARCHER : SLEEPER);
        }
        // full fence: announce before looking; pairs with the fence in signal
        VarHandle.fullFence();
    }

    /** The caller saw something after it had announced. It is a searcher from now on. */
    void cancelSleep(Sleeper sleeper) {
        synchronized (this) {
            if (sleeper.listed) { // else a publisher was faster: woken, and counted as a searcher
                take(sleeper);
            }
        }
    }

    /** Sleeps until woken. The caller is a searcher from then on. */
    void park(Sleeper sleeper) {
        while (sleeper.listed) {
            sleeper.gate.park();
        }
    }

    /** Sleeps until woken, or for so long at most. The caller is a searcher from then on. */
    void nap(Sleeper sleeper, long nanos) {
        NAPPERS.getAndAdd(this, 1);
        try {
            sleeper.gate.parkNanos(nanos);
        } finally {
            NAPPERS.getAndAdd(this, -1);
            cancelSleep(sleeper);
        }
    }

    private void wakeOne() {
        beforeWake.run();
        final Sleeper sleeper;
        synchronized (this) {
            sleeper = top;
            if (sleeper == null || searchers(counts) > 0) {
                return;
            }
            take(sleeper);
        }
        sleeper.gate.unpark();
    }

    /** Wakes this one if it sleeps. Returns whether it did. */
    boolean wakeThis(Sleeper sleeper) {
        beforeWake.run();
        synchronized (this) {
            if (!sleeper.listed) {
                return false;
            }
            take(sleeper);
        }
        sleeper.gate.unpark();
        return true;
    }

    /** Takes it off the list; it is a searcher from now on. */
    private void take(Sleeper sleeper) {
        // First, since it is a call and needs stack: if there is too little, nothing has changed.
        COUNTS.getAndAdd(this, SEARCHER - SLEEPER);
        Sleeper above = null;
        for (Sleeper other = top; other != sleeper && other != null; other = other.below) {
            above = other;
        }
        if (above == null) {
            top = sleeper.below;
        } else {
            above.below = sleeper.below;
        }
        sleeper.below = null;
        sleeper.listed = false;
        changes++;
    }

    /** Grows whenever somebody joins or leaves the sleepers: if it has not, the same slept all the time. */
    synchronized long changes() {
        return changes;
    }

    int sleepers() {
        return sleepers(counts);
    }

    int searchers() {
        return searchers(counts);
    }

    private static int sleepers(int counts) {
        return counts & 0xFFFF;
    }

    private static int searchers(int counts) {
        return counts >>> 16;
    }

    @Override
    public String toString() {
        return "searching=" + searchers() + ", sleeping=" + sleepers();
    }
}
