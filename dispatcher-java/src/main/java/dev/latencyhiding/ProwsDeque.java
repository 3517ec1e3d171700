package dev.latencyhiding;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A suspendable deque: a {@link WorkDeque}, a state, the number of suspensions that are open on it
 * and an inbox of nodes that were resumed from outside. The only place where a deque's state
 * changes; {@link DequeState} has the table.
 *
 * <p>The hard part is the race between a node that is about to return blocked and the operation it
 * waits for, which may complete on another thread before that. See D2.
 */
/*
 * Implementation notes
 *
 * An empty suspended deque is this header alone: the array part is attached by the first push and
 * taken away (strip) before an empty deque is suspended. So `work` may be null at any time, and may
 * be attached to another deque by the time a slow thief pops from it. That thief then has a node of
 * the other deque, taken as correctly as any. What it does to this deque next is decided by a CAS on
 * this deque's own state and is right whatever it stole.
 *
 * The inbox is the youngest end of the deque, below the array's bottom: popBottom looks there first,
 * popTop last. It is a stack linked through the suspensions themselves; a suspension is delivered
 * once in its life, so the stack has no ABA problem and anyone may pop. Every suspension in it also
 * has an entry in the lane of wake-ups, by which its node can be taken as well. Whoever takes the node
 * out of the suspension has it; suspensions without a node are pruned in passing.
 *
 * Invariants
 *   D1  Only the owner, the one that made the state ACTIVE, touches the bottom, attaches or takes
 *       away the array, opens suspensions, or lists the deque in a stealable set.
 *   D2  Early completion. State and the count of open suspensions are one word. A resumer puts the
 *       node into the inbox, then takes its suspension off the word; the owner looks at the inbox,
 *       then moves the word it read before to SUSPENDED. If the resumer came first the word has
 *       changed and the owner's CAS fails; if it comes later it finds SUSPENDED and acts.
 *   D3  A SUSPENDED deque has an open suspension: the one that takes the count to 0 also leaves
 *       SUSPENDED. So no deque is suspended for ever.
 *   D4  A delivered node is in the inbox before its suspension is off the count. So an owner that
 *       reads a count of 0, then an empty inbox, holds a deque no resumer will touch again: only
 *       such a deque is freed, and a late resumer never meets a recycled one.
 */
@SuppressWarnings("EnumOrdinal") // two bits of the control word
class ProwsDeque {
    /*
     * The control word, lowest bit first:
     *   0..1  state
     *   2     an entry for this deque is in the queue of left deques
     *   3..   open suspensions
     */
    private static final int STATE_MASK = 3;
    private static final int QUEUED = 1 << 2;
    private static final int SUSPENSION = 1 << 3;

    private static final VarHandle CONTROL = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "control", VarHandle.class, ProwsDeque.class, int.class);
    private static final VarHandle INBOX = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "inbox", VarHandle.class, ProwsDeque.class, Suspension.class);
    private static final VarHandle WORK = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "work", VarHandle.class, ProwsDeque.class, WorkDeque.class);

    private volatile int control = DequeState.ACTIVE.ordinal();
    private volatile @Nullable Suspension inbox;
    private @Nullable WorkDeque work;

    /** The stealable set this deque is listed in, and where. Written under that set's lock only. */
    volatile @Nullable StealableSet set;

    int indexInSet;

    // ---- nodes ----

    /** Owner only. The array is taken from the pool if there is none. Returns whether the node is alone in it. */
    boolean pushBottom(Runnable node, DequePool pool) {
        WorkDeque work = this.work;
        if (work == null) {
            work = pool.takeWork();
            // release: pairs with workAcquire, so that a thief sees an initialised array
            WORK.setRelease(this, work);
        }
        return work.pushBottom(node);
    }

    /** Owner only. */
    @Nullable Runnable popBottom() {
        final Runnable resumed = popInbox();
        if (resumed != null) {
            return resumed;
        }
        final WorkDeque work = this.work;
        return work == null ? null : work.popBottom();
    }

    /** Owner only. Takes this node if it is the youngest in the array. */
    boolean tryPopBottom(Runnable node) {
        final WorkDeque work = this.work;
        return work != null && work.tryPopBottom(node);
    }

    /** Owner only. The index of the next node that is pushed; less than all indices if there is no array. */
    long bottom() {
        final WorkDeque work = this.work;
        return work == null ? Long.MIN_VALUE : work.bottom();
    }

    /** Any thread. Takes the oldest node in the array, if its index is not less and it is wanted. */
    @Nullable Runnable popTop(long from, Predicate<@Nullable Runnable> wanted) {
        final WorkDeque work = workAcquire();
        return work == null ? null : work.popTop(from, wanted);
    }

    /** Any thread. */
    @Nullable Runnable popTop() {
        final WorkDeque work = workAcquire();
        final Runnable node = work == null ? null : work.popTop();
        return node != null ? node : popInbox();
    }

    /** As {@link #popBottom}, without the inbox. */
    @Nullable Runnable popBottomOfArray() {
        final WorkDeque work = this.work;
        return work == null ? null : work.popBottom();
    }

    /** As {@link #popTop}, without the inbox. */
    @Nullable Runnable popTopOfArray() {
        final WorkDeque work = workAcquire();
        return work == null ? null : work.popTop();
    }

    /** Owner only. The oldest node in the array. */
    @Nullable Runnable popOldest() {
        final WorkDeque work = this.work;
        return work == null ? null : work.popOldest();
    }

    /** Any thread. Takes the whole inbox: the suspension that was resumed last, linked to the ones before. */
    @Nullable Suspension takeInbox() {
        // getAndSet: decides between this and whoever takes out single ones; they lose their CAS
        return inbox == null ? null : (Suspension) INBOX.getAndSet(this, null);
    }

    /** Any thread. Takes the node that was resumed last, or null if there is none. */
    @Nullable Runnable popInbox() {
        for (Suspension first; (first = inbox) != null; ) {
            if (tryTakeOut(first)) {
                final Runnable node = first.takeNode();
                if (node != null) {
                    return node;
                }
            }
        }
        return null;
    }

    /** Any thread. Prunes suspensions whose nodes were taken by their entries in the lane. */
    private boolean isInboxEmpty() {
        for (Suspension first; (first = inbox) != null; ) {
            if (first.hasNode()) {
                return false;
            }
            tryTakeOut(first);
        }
        return true;
    }

    private boolean tryTakeOut(Suspension first) {
        if (!INBOX.compareAndSet(this, first, first.next)) {
            return false;
        }
        first.next = null; // another thread that reads this, or the old value, loses its CAS: first is never put back
        return true;
    }

    /** Any thread. Whether there is a node in the inbox. */
    boolean hasResumed() {
        return !isInboxEmpty();
    }

    /** Any thread; exact for the owner and when nobody else is at work. */
    boolean isEmpty() {
        return isInboxEmpty() && isArrayEmpty();
    }

    /** As {@link #isEmpty}, without the inbox. */
    boolean isArrayEmpty() {
        final WorkDeque work = workAcquire();
        return work == null || work.isEmpty();
    }

    /** Any thread; a snapshot, without the inbox. */
    int size() {
        final WorkDeque work = workAcquire();
        return work == null ? 0 : work.size();
    }

    /** Any thread; a snapshot, without the inbox: see {@link WorkDeque#onlyIndex}. */
    long onlyIndex() {
        final WorkDeque work = workAcquire();
        return work == null ? WorkDeque.NONE : work.onlyIndex();
    }

    boolean inStealableSet() {
        return set != null;
    }

    /** Owner of an empty deque only: takes its array away. */
    @Nullable WorkDeque strip() {
        final WorkDeque stripped = work;
        if (stripped != null) {
            WORK.setOpaque(this, null);
        }
        return stripped;
    }

    private @Nullable WorkDeque workAcquire() {
        return (WorkDeque) WORK.getAcquire(this);
    }

    // ---- suspensions ----

    /** Owner only. One more suspension will end by {@link #deliver} or {@link #withdraw}. */
    void openSuspension() {
        CONTROL.getAndAdd(this, SUSPENSION);
    }

    int openSuspensions() {
        return control >>> 3;
    }

    /**
     * Owner only. ACTIVE to SUSPENDED, unless no suspension is open or a node came back already; then
     * the deque stays active and false is returned.
     */
    boolean trySuspend() {
        for (; ; ) {
            final int seen = control;
            requireState(seen, DequeState.ACTIVE, DequeState.SUSPENDED);
            // D2: read the word, then the inbox, then CAS the word.
            if (seen < SUSPENSION || !isInboxEmpty()) {
                return false;
            }
            if (casControl(seen, withState(seen, DequeState.SUSPENDED))) {
                return true;
            }
        }
    }

    /**
     * Any thread, once for each suspension: its node came back. Returns true if this made a suspended
     * deque RESUMABLE. The caller then puts the suspension into the lane of wake-ups, always: whoever
     * takes it there takes its node, whatever the deque's state is by then.
     */
    boolean deliver(Suspension suspension) {
        Suspension first;
        do {
            first = inbox;
            suspension.next = first;
            // volatile CAS: publishes the node, and next, before the count goes down (D4)
        } while (!INBOX.compareAndSet(this, first, suspension));
        return closeSuspension(false);
    }

    /**
     * Any thread, once for each suspension: it is withdrawn and no node will come back by it. Returns
     * true if it was the last that held the deque SUSPENDED, which is now RESUMABLE.
     */
    boolean withdraw() {
        return closeSuspension(true);
    }

    private boolean closeSuspension(boolean wakesOnlyIfLast) {
        for (; ; ) {
            final int seen = control;
            final int closed = seen - SUSPENSION;
            final boolean last = closed < SUSPENSION;
            final boolean wakes = state(seen) == DequeState.SUSPENDED && (last || !wakesOnlyIfLast); // D3
            if (casControl(seen, wakes ? withState(closed, DequeState.RESUMABLE) : closed)) {
                return wakes;
            }
        }
    }

    // ---- other transitions ----

    DequeState state() {
        return state(control);
    }

    /** Owner only: gives a deque whose nodes are all ready away, as RESUMABLE or MUGGABLE. */
    void leave(DequeState next) {
        if (next == DequeState.ACTIVE || next == DequeState.SUSPENDED) {
            throw new IllegalStateException("a deque that is left cannot become " + next);
        }
        for (; ; ) {
            final int seen = control;
            requireState(seen, DequeState.ACTIVE, next);
            if (casControl(seen, withState(seen, next))) {
                return;
            }
        }
    }

    /** Any thread: from exactly this state to ACTIVE. The thread owns it if this returns true. */
    boolean tryClaim(DequeState from) {
        return from != DequeState.ACTIVE && tryMove(from, DequeState.ACTIVE);
    }

    /** A thief that stole from it. */
    boolean tryMarkMuggable() {
        return tryMove(DequeState.RESUMABLE, DequeState.MUGGABLE);
    }

    private boolean tryMove(DequeState from, DequeState to) {
        for (; ; ) {
            final int seen = control;
            if (state(seen) != from) {
                return false;
            }
            if (casControl(seen, withState(seen, to))) {
                return true;
            }
        }
    }

    /** Returns true if the caller must put an entry for this deque into the queue of left deques. */
    boolean tryMarkQueued() {
        return (control & QUEUED) == 0 && ((int) CONTROL.getAndBitwiseOr(this, QUEUED) & QUEUED) == 0;
    }

    /**
     * The taker of an entry: from now on the deque may be queued again. Returns the state at that
     * moment, so that a deque cannot become stealable unnoticed in between.
     */
    DequeState unmarkQueued() {
        return state((int) CONTROL.getAndBitwiseAnd(this, ~QUEUED));
    }

    private boolean casControl(int expected, int next) {
        return CONTROL.compareAndSet(this, expected, next);
    }

    private static DequeState state(int control) {
        return DequeState.of(control & STATE_MASK);
    }

    private static int withState(int control, DequeState state) {
        return (control & ~STATE_MASK) | state.ordinal();
    }

    private static void requireState(int control, DequeState expected, DequeState wanted) {
        if (state(control) != expected) {
            throw new IllegalStateException("a deque that is " + state(control) + " cannot become " + wanted);
        }
    }

    @Override
    public String toString() {
        return state() + "[nodes=" + size() + (isInboxEmpty() ? "" : "+inbox") + ", open=" + openSuspensions()
                + (inStealableSet() ? ", listed" : "") + "]";
    }
}
