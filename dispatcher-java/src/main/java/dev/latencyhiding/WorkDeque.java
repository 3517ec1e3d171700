package dev.latencyhiding;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The array deque of Chase and Lev ("Dynamic circular work-stealing deque", SPAA '05) with the
 * fences of Lê, Pop, Cohen and Zappa Nardelli ("Correct and efficient work-stealing for weak memory
 * models", PPoPP '13). One owner pushes and pops at the bottom, any number of thieves pop at the
 * top. It knows nothing of deque states: {@link ProwsDeque} does.
 *
 * <p>Owner and thieves are lock-free; the owner waits for nobody. The index {@code top} only grows,
 * so a thief that holds a stale index loses its CAS. Who the owner is may change, if the old owner's
 * writes happen before the new owner's first access.
 */
/*
 * Implementation notes
 *
 * Invariants
 *   W1  top <= bottom, except for the moment in takeBottom between its two stores. If the stack overflows there
 *       while a thief takes the last node, the next push makes up for it: else that node would be lost.
 *   W2  The nodes are slots top .. bottom-1 (modulo the length) of the array.
 *   W3  Only the owner writes slots. A thief leaves the slot it emptied as it is: nulling it would
 *       race with an owner that has come round and stored the next node there. The owner nulls what
 *       was stolen when it finds the deque empty or gives it away (clearStolen), so that no finished
 *       node stays reachable while its worker sleeps.
 *   W4  A larger array has the slots of the nodes of the one it replaces. So a slow thief reads true slots in the
 *       old one, until top has passed them.
 *
 * Why slots are objects, read and written by plain access: the class of a node need not be known to implement
 * Runnable when it is stored in a field of that type, but it must be when it is stored in an array of Runnable, or
 * cast. Before JDK 23 such a check of a class against an interface writes to the class, if the last one was against
 * another interface; and coroutines are asked for several. Two workers then fight for that cache line with every
 * node: two pairs of coroutines on rendezvous channels took 16 to 25 ms instead of 8.
 */
final class WorkDeque extends PaddedTop {
    /** Small enough for the many deques that hold a node or two. Not tuned. */
    static final int INITIAL_CAPACITY = 16;

    /** For {@link #onlyIndex}: there is no node, or more than one. */
    static final long NONE = -1;

    static final long MANY = -2;

    private static final int MAX_CAPACITY = 1 << 30;

    /** Far from every index, so that the deque looks full. */
    private static final long UNKNOWN = Long.MIN_VALUE;

    private static final VarHandle TOP = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "top", VarHandle.class, PaddedTop.class, long.class);
    private static final VarHandle BOTTOM = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "bottom", VarHandle.class, WorkDeque.class, long.class);
    private static final VarHandle SLOTS = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "slots", VarHandle.class, WorkDeque.class, Slot[].class);

    /** Written by the owner only, read by all. */
    private long bottom;

    /**
     * Not more than top, which only grows: so that the owner need not read, for every push, what thieves write.
     * While takeBottom is at work UNKNOWN, and if it never ended, it stays so (W1). Owner only.
     */
    private long knownTop;

    /** Every slot below this index has been nulled, or used again. Owner only. */
    private long cleared;

    /** Replaced by the owner when full. Its length is a power of two. */
    private Slot[] slots;

    /**
     * Where a node is. Plain access is enough: the owner's write comes before its release of bottom, and a thief's
     * read lies between its acquire of bottom and its CAS of top, which fails if the slot may have changed.
     */
    private static final class Slot {
        @Nullable Runnable node;
    }

    WorkDeque() {
        this(INITIAL_CAPACITY);
    }

    /** The capacity, a power of two, is a parameter so that tests reach growth quickly. */
    WorkDeque(int capacity) {
        slots = new Slot[capacity];
        fill(slots);
    }

    /** Owner only. Returns whether the node is certainly alone in the deque. */
    boolean pushBottom(Runnable node) {
        long bottom = this.bottom;
        if (Long.compareUnsigned(bottom - knownTop, slots.length) >= 0) {
            makeRoom();
            bottom = this.bottom;
        }
        slot(slots, bottom).node = node;
        // release: the node, and a new array, are visible to the thief whose bottomAcquire sees this
        BOTTOM.setRelease(this, bottom + 1);
        return bottom == knownTop;
    }

    /** Owner only. Returns the youngest node, or null if there is none. */
    @Nullable Runnable popBottom() {
        final long bottom = this.bottom - 1;
        final long top = topAcquire();
        // Only the owner adds, and top only grows: there is no other node than it sees, and the fence is saved.
        if (bottom > top) {
            return takeBottom(bottom);
        }
        return bottom == top ? takeLast(top) : takeNone();
    }

    /** Owner only. Takes this node if it is the youngest; else, also if it was stolen, returns false. */
    boolean tryPopBottom(Runnable node) {
        final long bottom = this.bottom - 1;
        // Only the owner writes slots. One that a thief has emptied still looks full (W3): takeBottom tells.
        return slot(slots, bottom).node == node && takeBottom(bottom) != null;
    }

    /** The index of the next node that is pushed. Owner only. */
    long bottom() {
        return bottom;
    }

    private @Nullable Runnable takeBottom(long bottom) {
        knownTop = UNKNOWN;
        BOTTOM.setOpaque(this, bottom);
        // full fence: claim slot `bottom` before looking at top; pairs with the fence in popTop.
        // Without it owner and thief can both take the last node.
        VarHandle.fullFence();
        final long top = (long) TOP.getOpaque(this);
        if (top < bottom) {
            final Slot slot = slot(slots, bottom);
            final Runnable node = slot.node;
            slot.node = null;
            knownTop = top;
            return node;
        }
        BOTTOM.setOpaque(this, bottom + 1);
        knownTop = top;
        return top == bottom ? takeLast(top) : takeNone();
    }

    /**
     * The only node: whoever moves top has it. Bottom stays, as in {@link #popOldest}, so that no fence is needed: a
     * pair on a rendezvous channel takes 45.7 instead of 48.0 ms.
     */
    private @Nullable Runnable takeLast(long top) {
        final Runnable node = slot(slots, top).node;
        // CAS: decides between the owner and thieves
        final boolean won = casTop(top, top + 1);
        knownTop = top + 1; // whoever has won
        clearStolen(bottom);
        return won ? node : null;
    }

    private @Nullable Runnable takeNone() {
        clearStolen(bottom);
        return null;
    }

    /** Any thread. Returns the oldest node, or null if there is none; a lost race is tried again. */
    @Nullable Runnable popTop() {
        for (; ; ) {
            final long top = topAcquire();
            // full fence: read top before bottom; pairs with the fence in takeBottom
            VarHandle.fullFence();
            if (top >= bottomAcquire()) {
                return null;
            }
            // The slot may be stale if top has moved on; then the CAS fails.
            final Runnable node = slot(slotsAcquire(), top).node;
            if (casTop(top, top + 1)) {
                return node;
            }
        }
    }

    /**
     * Owner only. As {@link #popTop}, but needs no fence: it is the owner itself that moves bottom, and whoever moves
     * top has the node.
     */
    @Nullable Runnable popOldest() {
        for (; ; ) {
            final long top = topAcquire();
            if (top >= bottom) {
                return null;
            }
            final Slot slot = slot(slots, top);
            final Runnable node = slot.node;
            if (casTop(top, top + 1)) {
                slot.node = null;
                return node;
            }
        }
    }

    /**
     * Any thread. One attempt at the oldest node: takes it if its index is not less than the given one and it
     * is wanted. If so, it was in the deque all the time while {@code wanted} looked at it.
     */
    @Nullable Runnable popTop(long from, Predicate<@Nullable Runnable> wanted) {
        final long top = topAcquire();
        // full fence: as in popTop
        VarHandle.fullFence();
        if (top < from || top >= bottomAcquire()) {
            return null;
        }
        final Runnable node = slot(slotsAcquire(), top).node;
        return wanted.test(node) && casTop(top, top + 1) ? node : null;
    }

    /** Any thread; exact for the owner and when nobody else is at work. */
    boolean isEmpty() {
        return size() == 0;
    }

    /** Any thread; a snapshot. */
    int size() {
        final long top = topAcquire();
        return (int) Math.max(0, bottomAcquire() - top);
    }

    /** Any thread; a snapshot. The index of the only node, which no later node has; or {@link #NONE} or {@link #MANY}. */
    long onlyIndex() {
        final long top = topAcquire();
        final long size = bottomAcquire() - top;
        return size < 1 ? NONE : size > 1 ? MANY : top;
    }

    /** Owner only. */
    int capacity() {
        return slots.length;
    }

    /** Owner of an empty deque only: lets go of what thieves took (W3). */
    void clearStolen() {
        clearStolen(bottom);
    }

    private void clearStolen(long empty) {
        if (cleared == empty) {
            return;
        }
        // More than a whole array of stale indices are the same slots again.
        for (long i = Math.max(cleared, empty - slots.length); i < empty; i++) {
            slot(slots, i).node = null;
        }
        cleared = empty;
    }

    private void makeRoom() {
        final long top = topAcquire();
        knownTop = top;
        if (bottom < top) { // W1
            BOTTOM.setOpaque(this, top);
        } else if (bottom - top >= slots.length) {
            grow(bottom);
        }
    }

    private void grow(long bottom) {
        final Slot[] old = slots;
        if (old.length >= MAX_CAPACITY) {
            throw new RejectedExecutionException("a deque holds " + old.length + " nodes and cannot grow");
        }
        final Slot[] larger = new Slot[old.length << 1];
        final long top = topAcquire();
        for (long i = top; i < bottom; i++) {
            larger[indexOf(i, larger)] = slot(old, i);
        }
        fill(larger);
        cleared = top;
        // release: pairs with slotsAcquire in popTop
        SLOTS.setRelease(this, larger);
    }

    private static void fill(@Nullable Slot[] slots) {
        for (int i = 0; i < slots.length; i++) {
            if (slots[i] == null) {
                slots[i] = new Slot();
            }
        }
    }

    private static Slot slot(Slot[] slots, long index) {
        return slots[indexOf(index, slots)];
    }

    private static int indexOf(long index, Slot[] slots) {
        return (int) index & (slots.length - 1);
    }

    private long topAcquire() {
        return (long) TOP.getAcquire(this);
    }

    private long bottomAcquire() {
        return (long) BOTTOM.getAcquire(this);
    }

    private Slot[] slotsAcquire() {
        return (Slot[]) SLOTS.getAcquire(this);
    }

    private boolean casTop(long expected, long next) {
        return TOP.compareAndSet(this, expected, next);
    }
}
