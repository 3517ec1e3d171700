package dev.latencyhiding;

import org.jspecify.annotations.Nullable;

/**
 * Algorithm 3: how a worker without work takes nodes, or whole deques, from others, and what becomes
 * of the deques it took them from. Used by its worker's thread only. {@code docs/algorithm.md} has
 * the pseudocode line by line.
 */
final class Thief {
    /**
     * Steals in a row from one deque before the next choice at random. To search for each node of a worker that
     * spawns very many costs as much as a small node.
     */
    private static final int ROW = 16;

    /**
     * A thief that keeps up with a worker which spawns very small nodes slows it down: both want the same cache
     * lines for every node. So after a row that took less than this it lets some gather, if there are few, for as
     * long as {@link #GATHER_NANOS}. A million empty coroutines launched by one: 440 to 550 instead of 700 to 930 ms.
     */
    private static final long SHORT_ROW_NANOS = 10_000;

    private static final long GATHER_NANOS = 20_000;
    private static final int FEW_NODES = 64;

    /**
     * How often a thief looks at a node that is alone in a worker's deque before it steals it, some 3 µs in all. If the
     * worker takes it sooner itself, as in a ping-pong of coroutines, it would have to get it back, and both that and
     * the theft cost more than such a node: a pair on a rendezvous channel takes 46 instead of 86 ms, on two workers.
     */
    private static final int LOOKS = 100;

    private final int looks;
    private final ProwsWorker worker;
    private final Workers workers;
    private final Counters.OfWorker counters;
    private final XorShift random;
    private final DequePool pool;

    /** Where the last steal at random found a node, and how many more to take there. */
    private @Nullable ProwsDeque lastVictim;

    private int more;
    private long rowBegan;

    /** A deque whose owner has taken its only node itself while this thief watched; since the last search. */
    private @Nullable ProwsDeque quick;

    Thief(ProwsWorker worker) {
        this(worker, LOOKS);
    }

    /** How often to look is a parameter because a model checker takes many looks in a row for a hang. */
    Thief(ProwsWorker worker, int looks) {
        this.worker = worker;
        this.looks = looks;
        this.workers = worker.core.workers;
        this.counters = worker.counters;
        this.random = worker.random;
        this.pool = worker.pool;
    }

    /** One attempt at a random deque of a random victim, the worker itself included. */
    @Nullable Runnable stealOnce() {
        counters.increment(Counter.STEALS_TRIED);
        final ProwsDeque deque = workers.random(random).chooseRandom(random);
        if (deque == null) {
            return null;
        }
        final Runnable node = stealFrom(deque);
        if (node != null) {
            lastVictim = deque;
            more = ROW - 1;
            rowBegan = System.nanoTime();
        }
        return node;
    }

    /**
     * Steals from the deque where the last steal at random was a success. It may have changed hands, or be used
     * again for something else, since: any deque is as good as another.
     */
    @Nullable Runnable stealAgain() {
        final ProwsDeque deque = lastVictim;
        if (deque == null) {
            return null;
        }
        if (more == 0 && !letGather(deque)) {
            lastVictim = null;
            return null;
        }
        more--;
        counters.increment(Counter.STEALS_TRIED);
        final Runnable node = stealFrom(deque);
        if (node == null) {
            lastVictim = null;
        }
        return node;
    }

    /** At the end of a row. Returns whether to go on with another one. */
    private boolean letGather(ProwsDeque deque) {
        final long now = System.nanoTime();
        if (now - rowBegan > SHORT_ROW_NANOS || deque.size() >= FEW_NODES) {
            return false;
        }
        long waited = 0;
        while (waited < GATHER_NANOS && worker.core.lanes.isEmpty()) {
            Thread.onSpinWait();
            waited = System.nanoTime() - now;
        }
        rowBegan = now + waited;
        more = ROW;
        return true;
    }

    /** Every deque of every worker, starting at a random one, until there is a node. */
    @Nullable Runnable sweep() {
        final Worker[] all = workers.withGuests();
        final int start = random.nextInt(all.length);
        for (int i = 0; i < all.length; i++) {
            final Worker victim = all[(start + i) % all.length];
            Runnable node = stealFromNullable(victim.active());
            if (node == null) {
                node = stealFromNullable(victim.home());
            }
            if (node == null) {
                node = stealFrom(victim.yielded);
            }
            for (int j = victim.set.size() - 1; node == null && j >= 0; j--) {
                node = stealFromNullable(victim.set.get(j));
            }
            if (node != null) {
                return node;
            }
        }
        return null;
    }

    private @Nullable Runnable stealFromNullable(@Nullable ProwsDeque deque) {
        return deque == null ? null : stealFrom(deque);
    }

    private @Nullable Runnable stealFrom(ProwsDeque deque) {
        if (deque.tryClaim(DequeState.MUGGABLE)) {
            counters.moved(DequeState.MUGGABLE, DequeState.ACTIVE);
            counters.increment(Counter.MUGGINGS);
            delist(deque);
            return worker.setToActive(deque);
        }
        if (isLeftToOwner(deque)) {
            return null;
        }
        final Runnable node = deque.popTop();
        settle(deque);
        if (node != null) {
            counters.increment(Counter.STEALS);
        }
        return node;
    }

    /** Whether a deque has an owner, and no node in its array, or one that the owner takes as quickly itself. */
    private boolean isLeftToOwner(ProwsDeque deque) {
        final long only = deque.onlyIndex();
        if (only == WorkDeque.MANY || deque.state() != DequeState.ACTIVE || deque.hasResumed()) {
            return false;
        }
        if (only == WorkDeque.NONE) {
            return true;
        }
        if (deque != quick && ownerTakes(deque, only)) {
            quick = deque;
        }
        return deque == quick;
    }

    /** Watches the deque's only node for a while. Returns true if that is taken meanwhile. */
    private boolean ownerTakes(ProwsDeque deque, long only) {
        for (int i = 0; i < looks; i++) {
            Thread.onSpinWait();
            final long now = deque.onlyIndex();
            if (now != only) {
                return now != WorkDeque.MANY;
            }
        }
        return false;
    }

    /** Whether a search has left nodes to their owners since this was asked last. */
    boolean leftNodesToOwners() {
        final boolean left = quick != null;
        quick = null;
        return left;
    }

    /**
     * Gives a deque, which nobody may own, the state and the place that what is left in it call for.
     * To be called by whoever took a node off it, or may have hidden from a thief that it is empty.
     */
    void settle(ProwsDeque deque) {
        while (deque.isEmpty()) {
            final DequeState state = deque.state();
            if (state == DequeState.ACTIVE) {
                return; // its owner sees to it
            }
            if (deque.tryClaim(state)) {
                counters.moved(state, DequeState.ACTIVE);
                delist(deque);
                discard(deque);
                return;
            }
        }
        if (deque.tryMarkMuggable()) {
            counters.moved(DequeState.RESUMABLE, DequeState.MUGGABLE);
        }
    }

    /** Frees a deque that the worker owns and has no use for, or suspends it if nodes will come back to it. */
    void discard(ProwsDeque deque) {
        for (; ; ) {
            final int open = deque.openSuspensions(); // D4: the count first, then the inbox
            if (!deque.isEmpty()) {
                leave(deque, DequeState.RESUMABLE);
                return;
            }
            if (open == 0) {
                pool.free(deque);
                return;
            }
            pool.strip(deque);
            if (deque.trySuspend()) {
                counters.moved(DequeState.ACTIVE, DequeState.SUSPENDED);
                return;
            }
        }
    }

    /** Gives a deque with nodes, which the worker owns, to whoever comes first. */
    void leave(ProwsDeque deque, DequeState state) {
        counters.increment(Counter.DEQUES_LEFT);
        workers.enlist(deque, random); // before the state allows others to claim it (D1)
        deque.leave(state);
        counters.moved(DequeState.ACTIVE, state);
        offer(deque);
    }

    /** After a deque was given away with nodes in it: sees to it that they are found. */
    void offer(ProwsDeque deque) {
        if (deque.isEmpty()) {
            settle(deque); // the thief that emptied it saw it active and left it alone
        } else {
            worker.core.lanes.offerLeft(deque);
            worker.core.idle.signal();
        }
    }

    /** Takes a deque that the worker owns out of the set it is in, if any, and fills the gap. */
    void delist(ProwsDeque deque) {
        final StealableSet set = StealableSet.remove(deque);
        if (set != null && workers.rebalance(set, random)) {
            counters.increment(Counter.REBALANCED);
        }
    }
}
