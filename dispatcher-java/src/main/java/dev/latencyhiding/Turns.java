package dev.latencyhiding;

import org.jspecify.annotations.Nullable;

/**
 * Which node a worker runs next. Between any two nodes it chooses in this order:
 *
 * <ol>
 *   <li><b>Resumed.</b> A wake-up from {@link Lanes}, if there is one and fewer than {@link
 *       #MAX_WAKE_STREAK} were run in a row; but after each one first a node that it has pushed, if it has.
 *   <li><b>Own</b> and <b>outside</b>. The bottom of its active deque, and whatever waits elsewhere. While both
 *       have nodes they take turns of {@link #TURN_NANOS}. Outside come the left deques in {@link Lanes} first, but
 *       at most {@link #MAX_LEFT_STREAK} in a row, or for {@link #MAX_LEFT_NANOS}: what has begun should end before
 *       more begins. Then an arrival, or a node that yielded on this worker, in turn.
 * </ol>
 *
 * <p>The guarantee that follows, tested by {@code WakeUpGuaranteeTest}: let m resumed nodes wait when one more is
 * resumed, one node that each of them pushes included, P workers, k = MAX_WAKE_STREAK. Then at most m + ⌊m/k⌋ + 2P
 * other nodes start before a worker takes it, to start it at once. If every node runs at most S, and every worker has a
 * processor, it starts within S · (3 + (m + m/k) / P). {@code docs/fairness.md} has the argument.
 *
 * <p>A worker that has no nodes of its own, but never runs out of others, tries to steal
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

    /** How long own nodes and those outside take turns while there are both. Not tuned. */
    static final long TURN_NANOS = 500_000;

    /**
     * How many nodes outside a worker without nodes of its own takes before it tries to steal: else an endless
     * flow of them would keep it from the deque of a worker that blocks or computes for long. Not tuned.
     */
    private static final int OUTSIDE_PER_STEAL = 64;

    /**
     * Left deques in a row before an arrival, or a node that yielded. In turn with each arrival they piled up under
     * load: a request that spawns three parts leaves more than one.
     */
    private static final int MAX_LEFT_STREAK = 16;

    /**
     * How long, if their nodes are long: with 16 in a row beside endless nodes of 5 ms, 13 arrivals started in a
     * second. Not tuned.
     */
    private static final long MAX_LEFT_NANOS = 20_000_000;

    private final ProwsWorker worker;
    private final Thief thief;
    private final Lanes lanes;
    private final Counters.OfWorker counters;
    private final DequePool pool;

    private int wakeStreak;

    /** Whether the last node was a wake-up, and where the bottom of its deque was before. */
    private boolean followsWakeUp;

    private long bottomBefore;

    private int outsideTaken;
    private boolean outsideTurn;
    private long turnEnds;

    /** Whether one of the worker's own nodes comes before the next outside, and whether one just did. */
    private boolean ownFirst;

    private boolean ownWasFirst;

    private int leftStreak;
    private long leftStreakBegan;

    /** Whose turn it was last, that of the nodes that yielded or of the arrivals. */
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
        final Runnable followUp = takeFollowUp();
        if (followUp != null) {
            wakeStreak++;
            return followUp;
        }
        for (; ; ) {
            final boolean streakIsFull = wakeStreak >= MAX_WAKE_STREAK;
            final Runnable resumed = streakIsFull ? null : takeWakeUp();
            if (resumed != null) {
                wakeStreak++;
                final ProwsDeque active = worker.active();
                bottomBefore = active == null ? Long.MIN_VALUE : active.bottom();
                followsWakeUp = true;
                return resumed;
            }
            if ((lanes.hasLeft() || lanes.hasArrivals() || !worker.yielded.isArrayEmpty()) && isOutsideTurn()) {
                final Runnable node = takeOutsideOrSteal();
                if (node != null) {
                    wakeStreak = 0;
                    return node;
                }
            }
            final Runnable own = takeOwn(); // ends the streak if there is none
            if (own != null) {
                return own;
            }
            if (!streakIsFull) {
                tidyYielded();
                return null;
            }
            final Runnable stolen = thief.stealOnce(); // the turn of its own, had it any
            if (stolen != null) {
                return stolen;
            }
        }
    }

    /**
     * The youngest node that a wake-up has pushed, once: most likely it ends what the wake-up is a part of, such as a
     * request whose last answer came in, and else it would wait for all other wake-ups. The median request of a service
     * at 80 % load takes 6.15 instead of 6.5 ms.
     */
    private @Nullable Runnable takeFollowUp() {
        final boolean isTime = followsWakeUp && wakeStreak < MAX_WAKE_STREAK;
        followsWakeUp = false;
        if (!isTime) {
            return null;
        }
        final ProwsDeque active = worker.active();
        return active == null || active.bottom() <= bottomBefore ? null : active.popBottom();
    }

    /**
     * Adds a node that lets others go first. One of the worker's own runs before it: else a node that yields
     * in a loop would run again and again while it is the turn of those outside. But not twice in a row: else own
     * nodes that yield would keep those waiting. The same holds for the other two queues. Returns whether it is alone.
     */
    boolean addYielded(Runnable node) {
        if (worker.yielded.isArrayEmpty()) {
            yieldedFirst = true; // so it is the arrivals' turn now
        }
        ownFirst = !ownWasFirst;
        return worker.yielded.pushBottom(node, pool);
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

    /** Whether to take a node from outside next. There are some. */
    private boolean isOutsideTurn() {
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
            outsideTurn = !outsideTurn;
            turnEnds = now + TURN_NANOS;
            if (!outsideTurn && worker.home() != null) {
                returnHome();
            }
        }
        return outsideTurn;
    }

    private @Nullable Runnable takeWakeUp() {
        for (Object entry; (entry = lanes.pollWakeUp()) != null; ) {
            final Runnable node = entry instanceof Suspension resumed
                    ? takeResumed(resumed)
                    : onEmptyDeque(((Lanes.Entry) entry).node);
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
        final boolean atPlace = deque == worker.active();
        if (deque == null || resumed.cameAlone() || (resumed.cameEarly() && !atPlace)) {
            return onEmptyDeque(resumed.takeNode()); // no deque waited for it
        }
        if (atPlace) {
            return resumed.takeNode(); // completed early, or one of several: the worker is at the place already
        }
        // Also if the node is taken: whoever found it in the inbox may have left the deque to be resumed.
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

    /** A worker that has nodes of its own is no thief; one that lives on what is outside is, now and then. */
    private @Nullable Runnable takeOutsideOrSteal() {
        if (++outsideTaken % OUTSIDE_PER_STEAL == 0 && worker.home() == null && isEmpty(worker.active())) {
            final Runnable stolen = thief.stealOnce();
            if (stolen != null) {
                return stolen;
            }
        }
        return takeOutside();
    }

    private @Nullable Runnable takeOutside() {
        if (worker.home() != null) { // first what the last arrival left: depth first
            final Runnable node = popActive();
            if (node != null) {
                return node;
            }
        }
        final Runnable left = isTurnOfLeft() ? takeLeft() : null;
        final Runnable node = left != null ? left : takeNew();
        if (left == null) {
            leftStreak = 0;
        } else if (++leftStreak == 1) {
            leftStreakBegan = System.nanoTime();
        }
        if (node != null) {
            counters.increment(Counter.ARRIVALS_RUN);
        }
        return node;
    }

    private boolean isTurnOfLeft() {
        return leftStreak == 0
                || (leftStreak < MAX_LEFT_STREAK && System.nanoTime() - leftStreakBegan < MAX_LEFT_NANOS);
    }

    /** An arrival or a node that yielded; they take turns. If there is neither, a left one all the same. */
    private @Nullable Runnable takeNew() {
        for (int i = 0; i < 2; i++) {
            yieldedFirst = !yieldedFirst;
            final Runnable node = yieldedFirst ? takeYielded() : takeArrival();
            if (node != null) {
                return node;
            }
        }
        return takeLeft();
    }

    private @Nullable Runnable takeArrival() {
        return onEmptyDeque(lanes.pollArrival());
    }

    private @Nullable Runnable takeYielded() {
        return onEmptyDeque(worker.yielded.popOldest());
    }

    /** Lets go of the array, and of finished nodes that are still in it. */
    private void tidyYielded() {
        // Not always empty here: its turn may not have come, and the own nodes whose turn it was were stolen.
        if (worker.yielded.isArrayEmpty()) {
            pool.strip(worker.yielded);
        }
    }

    private @Nullable Runnable takeLeft() {
        for (ProwsDeque deque; (deque = lanes.pollLeft()) != null; ) {
            final Runnable node = takeFromLeft(deque);
            if (node != null) {
                return node;
            }
        }
        return null;
    }

    private @Nullable Runnable takeFromLeft(ProwsDeque deque) {
        final DequeState state = deque.unmarkQueued();
        if (state == DequeState.ACTIVE) {
            return null; // somebody took it over
        }
        if (state == DequeState.SUSPENDED) {
            final Runnable node = deque.popTop();
            thief.offer(deque);
            return onEmptyDeque(node);
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
    private @Nullable Runnable onEmptyDeque(@Nullable Runnable node) {
        final ProwsDeque active = worker.active();
        if (node != null && (active == null || !active.isEmpty())) {
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
