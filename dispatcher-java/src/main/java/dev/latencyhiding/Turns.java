package dev.latencyhiding;

import org.jspecify.annotations.Nullable;

/**
 * Which node a worker runs next. Between any two nodes it chooses in this order:
 *
 * <ol>
 *   <li><b>Resumed.</b> A wake-up from {@link Lanes}, if there is one and fewer than {@link
 *       #MAX_WAKE_STREAK} were run in a row.
 *   <li><b>Own</b> and <b>outside</b>. The bottom of its active deque, and the arrivals in {@link
 *       Lanes}. While both have nodes they take turns of {@link #TURN_NANOS}.
 * </ol>
 *
 * <p>The guarantee that follows, tested by {@code WakeUpGuaranteeTest}: let m resumed nodes wait
 * when one more is resumed, P workers, k = MAX_WAKE_STREAK. Then at most m + ⌊m/k⌋ + 2P other nodes
 * start before a worker takes it, to start it at once. If every node runs at most S, and every worker
 * has a processor, it starts within S · (3 + (m + m/k) / P). {@code docs/fairness.md} has the argument.
 *
 * <p>A worker that has no nodes of its own, but never runs out of wake-ups or arrivals, tries to steal
 * once in a while, so that the deques of others are not forgotten.
 *
 * <p>Used by its worker's thread only.
 */
/*
 * Implementation notes
 *
 * A wake-up or an arrival runs on a deque of its own. If the worker has nodes left in its active
 * deque, that becomes `home`: still its own, still open to thieves. The worker is then visiting, and
 * returns home when the visited deque is suspended or empty, or when its time is up and it leaves
 * the rest for others. So a ticker that wakes up in the midst of a fork tree does not suspend the
 * tree's deque, and the tree goes on depth first.
 */
final class Turns {
    /** Wake-ups in a row, with what they leave in their deques, before one node of the worker's own. */
    static final int MAX_WAKE_STREAK = 16;

    /** How long own nodes and arrivals take turns while there are both. Not tuned. */
    static final long TURN_NANOS = 500_000;

    /**
     * How many arrivals a worker without nodes of its own takes before it tries to steal: else an endless
     * flow of them would keep it from the deque of a worker that blocks or computes for long. Not tuned.
     */
    private static final int ARRIVALS_PER_STEAL = 64;

    private final ProwsWorker worker;
    private final Thief thief;
    private final Lanes lanes;
    private final Counters counters;
    private final DequePool pool;

    private int wakeStreak;
    private int arrivalsTaken;
    private boolean arrivalsTurn;
    private long turnEnds;

    /** Whether one of the worker's own nodes comes before the next arrival, and whether one just did. */
    private boolean ownFirst;

    private boolean ownWasFirst;

    /** Whether a node that yielded comes before the next arrival. */
    private boolean yieldedFirst;

    Turns(ProwsWorker worker, Thief thief) {
        this.worker = worker;
        this.thief = thief;
        this.lanes = worker.core.lanes;
        this.counters = worker.counters;
        this.pool = worker.pool;
    }

    /** The next node of the three lanes; null if all are empty. */
    @Nullable Runnable next() {
        final boolean streakIsFull = wakeStreak >= MAX_WAKE_STREAK;
        if (!streakIsFull && lanes.hasWakeUps()) {
            final Runnable node = takeWakeUp();
            if (node != null) {
                wakeStreak++;
                return node;
            }
        }
        if ((lanes.hasArrivals() || !worker.yielded.isArrayEmpty()) && isArrivalsTurn()) {
            final Runnable node = takeArrivalOrSteal();
            if (node != null) {
                wakeStreak = 0;
                return node;
            }
        }
        final Runnable own = takeOwn();
        if (own != null) {
            return own;
        }
        if (!lanes.hasWakeUps()) {
            tidyYielded();
            return null;
        }
        final Runnable stolen = streakIsFull ? thief.stealOnce() : null; // the turn of its own, had it any
        return stolen != null ? stolen : takeWakeUp();
    }

    /**
     * Adds a node that lets others go first. One of the worker's own runs before it: else a node that yields
     * in a loop would run again and again while it is the arrivals' turn. But not twice in a row: else own nodes
     * that yield would keep the arrivals waiting. The same holds for an arrival.
     */
    void addYielded(Runnable node) {
        if (worker.yielded.isArrayEmpty()) {
            yieldedFirst = false;
        }
        worker.yielded.pushBottom(node, pool);
        ownFirst = !ownWasFirst;
    }

    /** The bottom of the active deque; while visiting, of the visited one within the streak, else of home. */
    private @Nullable Runnable takeOwn() {
        if (worker.home() != null) {
            if (wakeStreak < MAX_WAKE_STREAK) {
                final Runnable node = popActive();
                if (node != null) {
                    wakeStreak++;
                    return node;
                }
            }
            returnHome();
        }
        wakeStreak = 0;
        return popActive();
    }

    /** Whether to take an arrival next. There are some. */
    private boolean isArrivalsTurn() {
        if (isEmpty(worker.home() != null ? worker.home() : worker.active())) {
            return true;
        }
        ownWasFirst = ownFirst;
        ownFirst = false;
        if (ownWasFirst) {
            return false;
        }
        final long now = System.nanoTime();
        if (now - turnEnds >= 0) {
            arrivalsTurn = !arrivalsTurn;
            turnEnds = now + TURN_NANOS;
            if (!arrivalsTurn && worker.home() != null) {
                returnHome();
            }
        }
        return arrivalsTurn;
    }

    private @Nullable Runnable takeWakeUp() {
        for (Object entry; (entry = lanes.pollWakeUp()) != null; ) {
            final Runnable node =
                    entry instanceof Suspension resumed ? takeResumed(resumed) : onEmptyDeque((Runnable) entry);
            if (node != null) {
                counters.increment(Counter.WAKE_UPS);
                return node;
            }
        }
        return null;
    }

    /** Takes the node that came back and makes the deque it belongs to the active one, if it is to be had. */
    @Nullable Runnable takeResumed(Suspension resumed) {
        final ProwsDeque deque = resumed.deque;
        if (deque == null || deque == worker.active()) {
            // Completed early, or one of several: the worker is at the place already.
            return resumed.takeNode();
        }
        final DequeState state = deque.state();
        if (state != DequeState.ACTIVE && state != DequeState.SUSPENDED && deque.tryClaim(state)) {
            counters.moved(state, DequeState.ACTIVE);
            thief.delist(deque);
            visit(deque);
            return resumed.takeNode(); // null if taken meanwhile; takeOwn goes on with what else is there
        }
        // Somebody owns the deque, or it waits for another node: this one runs on a fresh deque.
        final Runnable node = resumed.takeNode();
        if (node == null) {
            return null;
        }
        thief.settle(deque);
        visit(pool.take());
        return node;
    }

    /** A worker that has nodes of its own is no thief; one that lives on arrivals is, now and then. */
    private @Nullable Runnable takeArrivalOrSteal() {
        if (++arrivalsTaken % ARRIVALS_PER_STEAL == 0 && worker.home() == null && isEmpty(worker.active())) {
            final Runnable stolen = thief.stealOnce();
            if (stolen != null) {
                return stolen;
            }
        }
        return takeArrival();
    }

    private @Nullable Runnable takeArrival() {
        if (worker.home() != null) { // first what the last arrival left: depth first
            final Runnable node = popActive();
            if (node != null) {
                return node;
            }
        }
        final boolean yieldedWasFirst = yieldedFirst;
        yieldedFirst = !yieldedFirst;
        Runnable node = yieldedWasFirst ? takeYielded() : takeFromLane();
        if (node == null) {
            node = yieldedWasFirst ? takeFromLane() : takeYielded();
        }
        if (node != null) {
            counters.increment(Counter.ARRIVALS_RUN);
        }
        return node;
    }

    private @Nullable Runnable takeYielded() {
        final Runnable node = worker.yielded.popTopOfArray();
        return node == null ? null : onEmptyDeque(node);
    }

    /** Lets go of the array, and of finished nodes that are still in it. */
    private void tidyYielded() {
        // Not always empty here: its turn may not have come, and the own nodes whose turn it was were stolen.
        if (worker.yielded.isArrayEmpty()) {
            pool.strip(worker.yielded);
        }
    }

    private @Nullable Runnable takeFromLane() {
        for (Object arrival; (arrival = lanes.pollArrival()) != null; ) {
            final Runnable node =
                    arrival instanceof ProwsDeque deque ? takeFromArrived(deque) : onEmptyDeque((Runnable) arrival);
            if (node != null) {
                return node;
            }
        }
        return null;
    }

    private @Nullable Runnable takeFromArrived(ProwsDeque deque) {
        final DequeState state = deque.unmarkQueued();
        if (state == DequeState.ACTIVE) {
            return null; // somebody took it over
        }
        if (state == DequeState.SUSPENDED) {
            final Runnable node = deque.popTop();
            thief.offer(deque);
            return node == null ? null : onEmptyDeque(node);
        }
        if (!deque.tryClaim(state)) {
            thief.offer(deque); // it changed hands or state; queued again if nodes are left
            return null;
        }
        counters.moved(state, DequeState.ACTIVE);
        counters.increment(Counter.MUGGINGS);
        thief.delist(deque);
        visit(deque);
        return deque.popBottom();
    }

    /** Sees to it that a node which belongs to no deque does not run on top of the worker's own nodes. */
    private Runnable onEmptyDeque(Runnable node) {
        final ProwsDeque active = worker.active();
        if (active == null || !active.isEmpty()) {
            visit(pool.take());
        }
        return node;
    }

    /** Makes a deque that the worker owns the active one, and keeps or leaves the one that was. */
    void visit(ProwsDeque deque) {
        final ProwsDeque before = worker.active();
        if (before != null) {
            if (before.isEmpty()) {
                worker.setActive(null);
                thief.discard(before);
            } else if (worker.home() == null) {
                worker.setHome(before);
            } else {
                thief.leave(before, DequeState.MUGGABLE);
            }
        }
        worker.setActive(deque);
    }

    private void returnHome() {
        final ProwsDeque visited = worker.active();
        worker.setActive(worker.home());
        worker.setHome(null);
        if (visited != null) {
            if (visited.isEmpty()) {
                thief.discard(visited);
            } else {
                thief.leave(visited, DequeState.MUGGABLE);
            }
        }
    }

    private static boolean isEmpty(@Nullable ProwsDeque deque) {
        return deque == null || deque.isEmpty();
    }

    @Nullable Runnable popActive() {
        final ProwsDeque active = worker.active();
        return active == null ? null : active.popBottom();
    }
}
