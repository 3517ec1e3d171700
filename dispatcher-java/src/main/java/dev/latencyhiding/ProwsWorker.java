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
        if (returnedBlocked()) {
            suspendActive();
        }
    }

    /** suspendDeque: gives the active deque away, unless all that its node waits for came back already. */
    private void suspendActive() {
        final ProwsDeque deque = ownActive();
        final boolean empty = deque.isArrayEmpty();
        if (empty) {
            pool.strip(deque);
        } else {
            core.workers.enlist(deque, random); // before others can claim it (D1)
        }
        if (!deque.trySuspend()) {
            counters.increment(Counter.EARLY_COMPLETIONS);
            if (!empty) {
                thief.delist(deque);
            }
            return;
        }
        counters.moved(DequeState.ACTIVE, DequeState.SUSPENDED);
        setActive(null);
        if (!empty) {
            thief.offer(deque);
        }
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
