package dev.latencyhiding;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The workers that {@linkplain CompletionThread completing threads} are while they run the nodes they have resumed.
 * Each takes the place of a worker that sleeps: so no more than P run nodes at a time, and there are no guests while
 * all workers are busy. {@code docs/algorithm.md} has the protocol.
 */
/*
 * Implementation notes
 *
 * A guest is a worker without a thread of its own. It is made when there is none to spare, is known to all as a
 * victim from then on, and used by one completing thread after the other. Its set stays empty: deques are listed
 * with the others only.
 *
 * Invariants
 *   G1  A guest that is not active owns no deque and holds no node.
 *   G2  active goes up only inside the door of LifeCycle, since a guest begins with a node that comes back. So
 *       whoever closes the door, and then reads first that no guest is active and then that all workers sleep,
 *       knows that nobody is left who could hand in a node.
 */
final class Guests {
    private final SchedulerCore core;

    /** Guarded by this, as all changes of the other. */
    private final ArrayDeque<ProwsWorker> free = new ArrayDeque<>();

    private volatile int active;

    Guests(SchedulerCore core) {
        this.core = core;
    }

    /**
     * Admits the current thread as a guest, to run the node of this suspension; null if it cannot be one, or if
     * there is no need. What is returned must {@link #leave} or {@link #withdraw}.
     */
    @Nullable ProwsWorker tryEnter(Suspension suspension) {
        if (!CompletionThread.canRun(suspension) || !hasRoom()) {
            return null;
        }
        synchronized (this) {
            if (!hasRoom()) {
                return null;
            }
            final ProwsWorker known = free.poll();
            final ProwsWorker guest = known != null ? known : core.addGuest();
            active++;
            return guest;
        }
    }

    /** A worker sleeps whose place is free, and nobody is awake who looks for work. */
    private boolean hasRoom() {
        return hasRoomFor(active + 1) && core.idle.searchers() == 0 && core.lanes.isEmpty();
    }

    /** Whether there are still as many sleeping workers as guests. */
    boolean mayStay() {
        return hasRoomFor(active);
    }

    private boolean hasRoomFor(int guests) {
        return guests <= core.idle.sleepers();
    }

    void leave(ProwsWorker guest) {
        withdraw(guest);
        core.lifeCycle.tryTerminate();
    }

    /** Leaves without having run anything. Does not try to terminate: the caller is still inside the door. */
    synchronized void withdraw(ProwsWorker guest) {
        free.push(guest); // the last one in is the next: its deques are warm
        active--;
    }

    int active() {
        return active;
    }
}
