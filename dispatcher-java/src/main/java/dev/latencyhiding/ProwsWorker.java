package dev.latencyhiding;

import org.jspecify.annotations.Nullable;

/**
 * A worker of ProWS-R: Algorithm 1. It asks {@link Turns} for the next node, and finding none becomes
 * a {@link Thief}. A node that returns blocked takes its deque with it.
 */
final class ProwsWorker extends Worker {
    /** A guest's thread has other things to do: it goes on with a deque for so many nodes, and no longer than this. */
    private static final int MAX_GUEST_NODES = 16;

    /** Not tuned. */
    private static final long MAX_GUEST_NANOS = 100_000;

    private final Thief thief;
    private final Turns turns;

    ProwsWorker(SchedulerCore core, int id, long seed, Gate gate, boolean spare) {
        super(core, id, seed, gate, spare);
        this.thief = new Thief(this);
        this.turns = new Turns(this, thief);
    }

    @Override
    void schedule() {
        while (runNext()) {
            // the node is a local of runNext, so that nothing here keeps it alive while idle
        }
    }

    private boolean runNext() {
        final Runnable node = findNode();
        if (node == null) {
            return false;
        }
        execute(node);
        return true;
    }

    @Override
    void execute(Runnable node) {
        if (active() == null) {
            setActive(pool.take());
        }
        runToReturn(node);
        endNode();
    }

    @Override
    void endNode() {
        final Suspension opened = returned();
        if (opened != null) {
            suspendActive(opened);
        }
    }

    /** Linked to those that the node opened before: the deque will count them when the node has returned, if at all. */
    @Override
    Suspension newSuspension(ProwsDeque deque, @Nullable Suspension before) {
        final Suspension suspension = new Suspension(core, deque);
        Suspension stillOpen = before;
        while (stillOpen != null && !stillOpen.isOpen()) { // a node that opens very many keeps few alive
            stillOpen = stillOpen.next;
        }
        suspension.next = stillOpen;
        return suspension;
    }

    /**
     * suspendDeque: gives the active deque away, unless something that its node waits for came back already. If it is
     * empty there is nothing to give away: the worker keeps it, and each suspension stands for an empty deque.
     */
    private void suspendActive(Suspension opened) {
        final ProwsDeque deque = ownActive();
        if (deque.isEmpty()) {
            if (!leave(opened, null)) {
                counters.increment(Counter.EARLY_COMPLETIONS);
            }
        } else if (anyCameEarly(opened)) {
            counters.increment(Counter.EARLY_COMPLETIONS);
            leave(opened, null);
        } else if (!leave(opened, deque) || !trySuspend(deque)) {
            counters.increment(Counter.EARLY_COMPLETIONS);
        }
    }

    /** Gives a deque with nodes away that suspensions were left to. Returns false if it stays active. */
    private boolean trySuspend(ProwsDeque deque) {
        core.workers.enlist(deque, random); // before others can claim it (D1)
        if (!deque.trySuspend()) {
            thief.delist(deque);
            return false;
        }
        counters.moved(DequeState.ACTIVE, DequeState.SUSPENDED);
        setActive(null);
        thief.offer(deque);
        return true;
    }

    private static boolean anyCameEarly(Suspension opened) {
        for (Suspension suspension = opened; suspension != null; suspension = suspension.next) {
            if (suspension.isResumed()) {
                return true;
            }
        }
        return false;
    }

    /** Leaves the suspensions of a node that has returned to a deque, or alone. False if all have ended. */
    private boolean leave(Suspension opened, @Nullable ProwsDeque deque) {
        boolean blocked = false;
        for (Suspension suspension = opened, before; suspension != null; suspension = before) {
            before = suspension.next;
            suspension.next = null; // from now on it belongs to the inbox
            blocked |= deque == null ? leaveAlone(suspension) : leaveTo(deque, suspension);
        }
        return blocked;
    }

    private boolean leaveAlone(Suspension suspension) {
        counters.moved(DequeState.ACTIVE, DequeState.SUSPENDED); // first: whoever resumes it counts it back
        if (suspension.tryLeave(false)) {
            return true;
        }
        counters.moved(DequeState.SUSPENDED, DequeState.ACTIVE);
        return false;
    }

    static boolean leaveTo(ProwsDeque deque, Suspension suspension) {
        deque.openSuspension(); // first: whoever resumes it takes it off the count
        if (suspension.tryLeave(true)) {
            return true;
        }
        deque.withdraw();
        return false;
    }

    private @Nullable Runnable findNode() {
        for (; ; ) {
            if (spare && core.tryRetire(this)) {
                return null;
            }
            timerHelper.betweenNodes();
            Runnable node = turns.next();
            if (node == null) {
                node = thief.stealAgain();
            }
            if (node == null) {
                node = searchOrSleep();
            }
            if (node != null) {
                return node;
            }
            if (core.lifeCycle.isTerminated()) {
                return null;
            }
        }
    }

    @Override
    @Nullable Runnable next() {
        return turns.next();
    }

    @Override
    void runAfterOthers(Runnable node) {
        announce(turns.addYielded(node));
    }

    @Override
    boolean leftNodesToOwners() {
        return thief.leftNodesToOwners();
    }

    @Override
    @Nullable Runnable stealOnce() {
        return thief.stealOnce();
    }

    @Override
    @Nullable Runnable sweep() {
        return thief.sweep();
    }

    /** Algorithm 3, setToActive: a mugged deque becomes the active one. The worker has no nodes of its own. */
    @Nullable Runnable setToActive(ProwsDeque mugged) {
        turns.visit(mugged);
        return mugged.popBottom();
    }

    /**
     * As a guest, on a thread that has resumed a node: runs it, then some of what is left in its deque, as long as a
     * worker sleeps. The rest is for others.
     */
    void runAsGuest(Suspension resumed) {
        setThread(Thread.currentThread());
        counters.increment(Counter.WAKE_UPS);
        counters.increment(Counter.GUEST_RUNS);
        try {
            final long began = System.nanoTime();
            Runnable node = turns.takeResumed(resumed);
            for (int nodes = 1; node != null || nodes == 1; nodes++) {
                if (node != null) { // else a thief was faster; but the deque may be this guest's now
                    execute(node);
                }
                node = mayGoOn(nodes, began) ? turns.popActive() : null;
            }
        } finally {
            giveUpDeques();
            setThread(null);
        }
    }

    private boolean mayGoOn(int nodes, long began) {
        return nodes < MAX_GUEST_NODES && core.guests.mayStay() && System.nanoTime() - began < MAX_GUEST_NANOS;
    }

    @Override
    void giveUpDeques() {
        cleanUpAfterDeadThread();
        shareYielded();
        pool.strip(yielded);
        final ProwsDeque visited = active();
        final ProwsDeque own = home();
        setActive(null);
        setHome(null);
        for (ProwsDeque deque : new @Nullable ProwsDeque[] {visited, own}) {
            if (deque != null) {
                thief.discard(deque);
            }
        }
    }
}
