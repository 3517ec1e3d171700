package dev.latencyhiding;

import org.jspecify.annotations.Nullable;

/**
 * A worker of classic work stealing: it has one deque, steals from the top of a random victim's, and a
 * latency operation blocks it. When a node returns that opened a suspension, the worker waits until a
 * node comes back, and runs that next; it goes on with other nodes when none of its suspensions is open
 * any more. Meanwhile others may steal what is in its deque.
 *
 * <p>So P workers wait for at most P operations at a time, and if all of them wait for something that
 * a queued node is to do, they wait for ever. No spare worker stands in: to show what waiting costs is
 * what this policy is for.
 */
/*
 * Implementation notes
 *
 * Waiting is the protocol of ProWS-R (D2) with another end: the worker suspends its own deque, and
 * instead of giving it away stays with it. Nodes that come back are in its inbox, which thieves of
 * this policy do not look into.
 */
final class ClassicWorker extends Worker {
    /** Once in so many nodes a worker looks elsewhere although its deque has nodes. Not tuned. */
    private static final int NODES_PER_LOOK = 64;

    private final ClassicDeque deque = new ClassicDeque(this);
    private final Gate blockade;
    private volatile boolean retired;
    private int nodes;

    ClassicWorker(SchedulerCore core, int id, long seed, Gate gate, boolean spare) {
        super(core, id, seed, gate, spare);
        this.blockade = core.newGate();
        setActive(deque);
    }

    // ---- the loop ----

    @Override
    void schedule() {
        while (runNext()) {
            // as in ProwsWorker
        }
    }

    private boolean runNext() {
        Runnable assigned = null;
        while (assigned == null) {
            if (spare && core.tryRetire(this)) {
                return false;
            }
            timerHelper.betweenNodes();
            assigned = next();
            if (assigned == null) {
                assigned = searchOrSleep();
            }
            if (assigned == null && core.lifeCycle.isTerminated()) {
                return false;
            }
        }
        execute(assigned);
        return true;
    }

    @Override
    void execute(Runnable node) {
        runToReturn(node);
        endNode();
    }

    @Override
    void endNode() {
        final boolean blocked = returned() != null;
        // Not only if blocked: a node that came back may leave others of the same node still to come.
        if (deque.openSuspensions() > 0) {
            block();
        } else if (blocked) {
            counters.increment(Counter.EARLY_COMPLETIONS);
        }
    }

    @Override
    @Nullable Runnable next() {
        final Runnable resumed = deque.popInbox();
        if (resumed != null) {
            counters.increment(Counter.WAKE_UPS);
            return resumed;
        }
        Runnable node = ++nodes % NODES_PER_LOOK == 0 ? lookElsewhere() : null;
        if (node == null) {
            node = deque.popBottomOfArray();
        }
        return node != null ? node : takeFromOutside();
    }

    /** In turns: outside, and for a worker that lives on that the deques of others. */
    private @Nullable Runnable lookElsewhere() {
        if (nodes / NODES_PER_LOOK % 2 == 0) {
            return takeFromOutside();
        }
        return isAtEmptyDeque() ? stealOnce() : null;
    }

    private @Nullable Runnable takeFromOutside() {
        return (Runnable) pollOutside(); // deques are not handed in under this policy
    }

    // ---- waiting ----

    /** Waits until a node has come back, or nothing can come back any more. */
    private void block() {
        if (!deque.trySuspend()) {
            counters.increment(Counter.EARLY_COMPLETIONS);
            return;
        }
        do {
            awaitUnblocked();
            // Perhaps in vain: a node is in the inbox before its suspension is counted as ended, so the worker
            // may have run it already when that happens, and others are still to come.
        } while (!core.isAbandoned() && deque.trySuspend());
    }

    private void awaitUnblocked() {
        counters.moved(DequeState.ACTIVE, DequeState.SUSPENDED);
        while (deque.state() == DequeState.SUSPENDED && !core.isAbandoned()) {
            blockade.park();
        }
        for (DequeState state; (state = deque.state()) != DequeState.ACTIVE; ) {
            if (deque.tryClaim(state)) { // else it came back at this moment
                counters.moved(state, DequeState.ACTIVE);
            }
        }
    }

    /** Any thread. */
    void unblock() {
        blockade.unpark();
    }

    /** Any thread: a node came back to the deque, or will not come any more. */
    void suspensionEnded(boolean unblocks) {
        if (unblocks) {
            unblock();
        } else if (core.isAbandoned()) {
            core.idle.signal(sleeper); // it did not wait
        }
        if (retired) { // volatile: read after the node is in the inbox; giveUpDeques writes, then empties it
            handInResumed();
        }
    }

    // ---- stealing ----

    /** randomProcess().popTop() */
    @Override
    @Nullable Runnable stealOnce() {
        counters.increment(Counter.STEALS_TRIED);
        return stealFrom(core.workers.random(random));
    }

    @Override
    @Nullable Runnable sweep() {
        final Worker[] all = core.workers.all();
        final int start = random.nextInt(all.length);
        for (int i = 0; i < all.length; i++) {
            final Runnable node = stealFrom(all[(start + i) % all.length]);
            if (node != null) {
                return node;
            }
        }
        return null;
    }

    private @Nullable Runnable stealFrom(Worker victim) {
        final Runnable node = ((ClassicWorker) victim).deque.popTopOfArray();
        if (node != null) {
            counters.increment(Counter.STEALS);
        }
        return node;
    }

    @Override
    boolean hasStealableNodes() {
        return !deque.isArrayEmpty();
    }

    @Override
    boolean hasErrands() {
        return deque.hasResumed();
    }

    // ---- retiring ----

    @Override
    void giveUpDeques() {
        cleanUpAfterDeadThread();
        for (Runnable node; (node = deque.popBottom()) != null; ) {
            core.publishArrival(node);
        }
        retired = true;
        handInResumed();
    }

    /** Any thread, if the worker has retired: only after shutdownNow can something still come back then. */
    private void handInResumed() {
        for (Runnable node; (node = deque.popInbox()) != null; ) {
            core.publishArrival(node);
        }
    }
}
