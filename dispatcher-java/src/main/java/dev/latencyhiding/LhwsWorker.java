package dev.latencyhiding;

import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * A worker of latency-hiding work stealing. It goes on with its active deque when a node blocks, and
 * keeps count. It owns many deques: the active one, ready ones, and suspended ones that are empty but
 * have nodes to come back to them. Nodes that come back to a deque are injected at its bottom, all at
 * once as a {@linkplain ResumedVertices tree}. Finding all its deques empty it steals from any deque of
 * any worker, and starts a new one with what it stole.
 */
/*
 * Implementation notes
 *
 * In the paper an executed vertex has a left child, the thread's continuation, and a right one, the
 * thread it spawns. They are handled in the order right, resumed vertices, left, so that the worker
 * goes on with the left child and never loses its place by a wake-up. Here a node pushes its children
 * while it runs; the last one is the left child. It is popped before the resumed vertices are added.
 *
 * Invariants
 *   L1  Only its owner touches the bottom of a deque, whatever the state. An owner that retires hands
 *       in all its deques first; it is marked as retired last, and only then others may adopt them.
 *   L2  A deque with resumed nodes in its inbox is in its owner's resumedDeques, or its resumer is about
 *       to put it there. So the owner sees them, and thieves do that find nothing else (sweep).
 *   L3  An entry of resumedDeques is a hint. Its deque may be in any state by now, even free.
 */
final class LhwsWorker extends Worker {
    /**
     * Once in so many nodes a worker looks elsewhere although its active deque has nodes: else work from
     * outside, or a ready deque, could wait for ever. Not tuned.
     */
    private static final int NODES_PER_LOOK = 64;

    private final Lhws lhws;
    private final ArrayDeque<LhwsDeque> freeDeques = new ArrayDeque<>();

    /** Filled by any thread, emptied by the worker. */
    private final ConcurrentLinkedQueue<LhwsDeque> resumedDeques = new ConcurrentLinkedQueue<>();

    /** Changed by the worker, read by thieves. First in, first out. */
    private final ConcurrentLinkedQueue<LhwsDeque> readyDeques = new ConcurrentLinkedQueue<>();

    private volatile boolean retired;

    /** The node that ran last spawned: its left child is at the bottom of the active deque. */
    private boolean hasLeft;

    private int nodes;

    LhwsWorker(Lhws lhws, int id, long seed, Gate gate, boolean spare) {
        super(lhws.core, id, seed, gate, spare);
        this.lhws = lhws;
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
        startDequeIfNone();
        final ProwsDeque deque = ownActive();
        final long before = deque.bottom();
        runToReturn(node); // handleChild(right): it pushes what it spawns, and counts what it waits for
        endNode();
        hasLeft = deque.bottom() > before;
    }

    @Override
    void endNode() {
        returned(); // blocked or not, the worker goes on with its deque
    }

    @Override
    @Nullable Runnable next() {
        Runnable assigned = ++nodes % NODES_PER_LOOK == 0 ? lookElsewhere() : null;
        if (assigned == null && hasLeft) {
            assigned = popActive(); // handleChild(left)
        }
        hasLeft = false;
        addResumedVertices();
        if (assigned == null) {
            assigned = popActive();
        }
        if (assigned == null) {
            assigned = takeReady();
        }
        return assigned != null ? assigned : takeFromOutside();
    }

    private @Nullable Runnable popActive() {
        final ProwsDeque active = active();
        return active == null ? null : active.popBottomOfArray();
    }

    /** readyDeques.removeAny, the one that is ready for the longest time, until one has a node. */
    private @Nullable Runnable takeReady() {
        leaveEmptyActive();
        for (LhwsDeque ready; (ready = readyDeques.poll()) != null; ) {
            ready.ready = false;
            claim(ready);
            leaveActive();
            setActive(ready);
            final Runnable node = popActive();
            if (node != null) {
                return node;
            }
        }
        return null;
    }

    private @Nullable Runnable takeFromOutside() {
        for (Object entry; (entry = pollOutside()) != null; ) {
            if (entry instanceof LhwsDeque orphan) {
                adopt(orphan);
                final Runnable node = takeReady();
                if (node != null) {
                    return node;
                }
            } else {
                return onNewDeque((Runnable) entry);
            }
        }
        return null;
    }

    /** In turns: outside, the ready deques, and for a worker that lives on these the deques of others. */
    private @Nullable Runnable lookElsewhere() {
        return switch (nodes / NODES_PER_LOOK % 3) {
            case 0 -> core.lanes.isEmpty() ? null : takeFromOutside();
            case 1 -> readyDeques.isEmpty() ? null : takeReady();
            default -> isAtEmptyDeque() ? stealOnce() : null;
        };
    }

    // ---- resumed vertices ----

    /** Any thread. */
    void addResumed(LhwsDeque deque) {
        resumedDeques.add(deque);
        // volatile: add before reading; giveUpDeques writes, then empties the queue
        if (retired) {
            handOnResumed();
        }
    }

    /** Any thread, if the worker has retired: whoever finds the deque outside adopts it. */
    private void handOnResumed() {
        for (LhwsDeque deque; (deque = resumedDeques.poll()) != null; ) {
            deque.unmarkQueued();
            core.lanes.offerLeft(deque);
        }
        core.idle.signal();
    }

    private void addResumedVertices() {
        for (LhwsDeque deque; (deque = resumedDeques.poll()) != null; ) {
            // Before its inbox is taken: so a resumer that comes later puts it into the queue again.
            deque.unmarkQueued();
            if (!deque.freed) {
                inject(deque);
                if (deque != active() && !deque.ready) {
                    claim(deque);
                    leave(deque);
                }
            }
        }
    }

    private void inject(LhwsDeque deque) {
        final Runnable vertex = ResumedVertices.of(deque.takeInbox());
        if (vertex != null) {
            counters.add(Counter.WAKE_UPS, vertex instanceof ResumedVertices many ? many.size() : 1);
            deque.pushBottom(vertex, pool);
            core.idle.signal();
        }
    }

    // ---- deques ----

    /** A stolen node, or one from outside, is no child of what the active deque holds. */
    private Runnable onNewDeque(Runnable node) {
        final ProwsDeque active = active();
        if (active != null && (active.openSuspensions() > 0 || !active.isEmpty())) { // else as good as new
            leaveActive();
        }
        startDequeIfNone();
        return node;
    }

    private void startDequeIfNone() {
        if (active() == null) {
            final LhwsDeque free = freeDeques.poll();
            final LhwsDeque deque = free != null ? free : new LhwsDeque(this);
            deque.freed = false;
            lhws.deques.add(deque);
            setActive(deque);
        }
    }

    /** An empty deque that nodes will come back to is not worked on any more. */
    private void leaveEmptyActive() {
        final ProwsDeque active = active();
        if (active != null && active.openSuspensions() > 0 && active.isArrayEmpty()) {
            leaveActive();
        }
    }

    private void leaveActive() {
        final LhwsDeque active = (LhwsDeque) active();
        if (active != null) {
            setActive(null);
            leave(active);
        }
    }

    /** A deque that the worker does not work on is ready, suspended or free. Its state is ACTIVE before. */
    private void leave(LhwsDeque deque) {
        for (; ; ) {
            final int open = deque.openSuspensions(); // D4: the count first, then the inbox
            final boolean hasNodes = !deque.isArrayEmpty(); // once: they may be stolen from now on
            if (hasNodes || deque.hasResumed()) {
                deque.leave(DequeState.RESUMABLE);
                counters.moved(DequeState.ACTIVE, DequeState.RESUMABLE);
                if (hasNodes) {
                    deque.ready = true;
                    readyDeques.add(deque);
                } // else its resumer is about to put it into resumedDeques (L2)
                return;
            }
            if (open == 0) {
                free(deque);
                return;
            }
            pool.strip(deque);
            if (deque.trySuspend()) {
                counters.moved(DequeState.ACTIVE, DequeState.SUSPENDED);
                return;
            }
        }
    }

    private void free(LhwsDeque deque) {
        StealableSet.remove(deque);
        pool.strip(deque);
        deque.freed = true;
        if (freeDeques.size() < DequePool.MAX_POOLED) {
            freeDeques.push(deque);
        }
    }

    /** Nobody else claims a deque of this worker, but a resumer may change its state meanwhile. */
    private void claim(LhwsDeque deque) {
        for (DequeState state; (state = deque.state()) != DequeState.ACTIVE; ) {
            if (deque.tryClaim(state)) {
                counters.moved(state, DequeState.ACTIVE);
            }
        }
    }

    // ---- stealing ----

    /** randomDeque().popTop(): each deque of the scheduler with the same probability. */
    @Override
    @Nullable Runnable stealOnce() {
        counters.increment(Counter.STEALS_TRIED);
        final ProwsDeque victim = lhws.deques.chooseRandom(random);
        return victim == null ? null : stolen(victim.popTopOfArray());
    }

    /** With the nodes that were resumed, but not injected yet: their owner may be busy for long. */
    @Override
    @Nullable Runnable sweep() {
        final Worker[] all = core.workers.all();
        final int start = random.nextInt(all.length);
        Runnable node = null;
        for (int i = 0; node == null && i < all.length; i++) {
            final LhwsWorker victim = (LhwsWorker) all[(start + i) % all.length];
            final ProwsDeque active = victim.active();
            node = active == null ? null : active.popTop();
            if (node == null) {
                node = stealFromAny(victim.readyDeques);
            }
            if (node == null) {
                node = stealFromAny(victim.resumedDeques);
            }
        }
        return stolen(node);
    }

    private static @Nullable Runnable stealFromAny(Iterable<LhwsDeque> deques) {
        for (LhwsDeque deque : deques) {
            final Runnable node = deque.popTop();
            if (node != null) {
                return node;
            }
        }
        return null;
    }

    private @Nullable Runnable stolen(@Nullable Runnable node) {
        if (node == null) {
            return null;
        }
        counters.increment(Counter.STEALS);
        return onNewDeque(node);
    }

    @Override
    boolean hasStealableNodes() {
        final ProwsDeque active = active();
        return (active != null && !active.isEmpty()) || haveNodes(readyDeques) || haveNodes(resumedDeques);
    }

    private static boolean haveNodes(Iterable<LhwsDeque> deques) {
        for (LhwsDeque deque : deques) {
            if (!deque.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** A deque without nodes may have to be freed or suspended again. */
    @Override
    boolean hasErrands() {
        return !resumedDeques.isEmpty();
    }

    // ---- retiring ----

    /** Of a worker that retired; or of one that lives, if others were faster. */
    private void adopt(LhwsDeque orphan) {
        orphan.unmarkQueued();
        final LhwsWorker owner = orphan.owner();
        if (owner.retired && orphan.tryAdopt(owner, this)) {
            if (!orphan.freed) {
                inject(orphan);
                claim(orphan);
                leave(orphan);
            }
        } else {
            lhws.tellOwner(orphan);
        }
    }

    @Override
    void giveUpDeques() {
        cleanUpAfterDeadThread();
        leaveActive();
        for (LhwsDeque deque; (deque = readyDeques.poll()) != null; ) {
            deque.ready = false;
            core.lanes.offerLeft(deque);
        }
        retired = true; // last: from now on others adopt what the worker owned (L1)
        handOnResumed();
    }
}
