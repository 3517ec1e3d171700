package dev.latencyhiding;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A stolen {@link Fork} that runs somewhere else, and the worker that waits for it. While it waits, it
 * helps its thief by <em>leapfrogging</em> (Wagner and Calder, PPoPP '93): it steals back forks which the
 * stolen one has made, and no other nodes. So a waiting worker runs only parts of what it waits for, its
 * stack holds nothing foreign, and no two workers wait for each other. If there is nothing to steal back
 * it spins for a moment, then parks; if that takes long a spare worker takes its place.
 */
/*
 * Implementation notes
 *
 * Which nodes are parts of the stolen fork? Its thief pushes them on its active deque, from index `base` on,
 * as long as the fork runs (F1: until then the deque stays its active one). So the helper looks at the node
 * at the top, checks that its index is at least base and that it is a fork, then that the stolen one is not
 * done, and only then moves top. A CAS that succeeds proves that top was the same all the time, so that the
 * node was in the deque when the stolen fork was not done: it is one of its parts.
 */
final class Theft {
    /** The worker that joins runs the fork itself. */
    static final Theft BY_OWNER = new Theft(null);

    static {
        BY_OWNER.done = true; // nobody waits for it
    }

    /** Looks for something to steal back before the first nap. Some ten microseconds. Not tuned. */
    private static final int SPINS = 256;

    private static final long FIRST_NAP_NANOS = 50_000;

    /** After some 1.5 ms a spare worker takes the place. Not tuned. */
    private static final int NAPS_BEFORE_SPARE = 5;

    /** Some 25 ms. */
    private static final int MAX_NAPS = 9;

    /** More than a part which is stolen back needs until its own code runs. */
    private static final int FRAMES_TO_BEGIN = 64;

    private static final int FRAMES_TO_START_THREAD = 256;

    /** Parts inside parts, each with a join that waits under it: more would use up the stack. Not tuned. */
    private static final int MAX_HELPING = 64;

    /** The deque of the worker that runs the fork; null if it is none. */
    private final @Nullable ProwsDeque place;

    private final long base;

    /** Written before done. */
    private @Nullable Throwable error;

    volatile boolean done;
    private volatile @Nullable Thread waiter;

    Theft(@Nullable Worker thief) {
        this.place = thief == null ? null : thief.active();
        this.base = place == null ? 0 : place.bottom();
    }

    void run(Fork fork) {
        try {
            fork.runBody();
        } catch (Throwable thrown) { // whatever it is, it is thrown where the fork is joined
            error = thrown;
        }
        // volatile: done before reading the waiter, which writes waiter before reading done
        done = true;
        final Thread waiter = this.waiter;
        if (waiter != null) {
            LockSupport.unpark(waiter);
        }
    }

    /** Returns when the fork is done, or throws what it has thrown. The worker helps, unless it is null. */
    void join(@Nullable Worker worker) {
        boolean interrupted = false;
        boolean blocked = false;
        for (int idle = 0; !done; ) {
            try {
                if (worker != null && helpThief(worker)) {
                    idle = 0;
                } else if (++idle < SPINS) {
                    Thread.onSpinWait();
                } else {
                    final int naps = Math.min(idle - SPINS, MAX_NAPS);
                    if (naps == NAPS_BEFORE_SPARE && worker != null && !blocked) {
                        StackRoom.require(FRAMES_TO_START_THREAD);
                        worker.core.watchdog.beginBlocking();
                        blocked = true;
                    }
                    if (worker != null) {
                        worker.napping = !blocked;
                        park(naps);
                        worker.napping = false;
                    } else {
                        park(naps);
                    }
                    interrupted |= Thread.interrupted();
                }
            } catch (StackOverflowError noRoom) {
                // The fork must end first, however little stack is left: look again.
            }
        }
        if (blocked && worker != null) {
            worker.core.watchdog.endBlocking();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (error != null) {
            Theft.<RuntimeException>rethrow(error);
        }
    }

    /** The naps get longer, and the last one lasts until the end. */
    private void park(int naps) {
        waiter = Thread.currentThread();
        if (done) {
            return;
        }
        if (naps < MAX_NAPS) {
            LockSupport.parkNanos(this, FIRST_NAP_NANOS << naps);
        } else {
            LockSupport.park(this);
        }
    }

    private boolean helpThief(Worker worker) {
        if (place == null || place.size() == 0 || worker.helping >= MAX_HELPING) {
            return false;
        }
        StackRoom.require(FRAMES_TO_BEGIN);
        final Runnable part = place.popTop(base, node -> node instanceof Fork && !done);
        if (part == null) {
            return false;
        }
        worker.counters.increment(Counter.STEALS_TRIED);
        worker.counters.increment(Counter.STEALS);
        worker.helping++;
        try {
            part.run();
        } finally {
            worker.helping--;
        }
        return true;
    }

    /** Throws what a body has thrown, checked or not. */
    @SuppressWarnings("unchecked")
    static <E extends Throwable> void rethrow(Throwable error) throws E {
        throw (E) error;
    }
}
