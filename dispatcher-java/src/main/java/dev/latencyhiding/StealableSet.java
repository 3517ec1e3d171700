package dev.latencyhiding;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The deques of one worker that thieves may steal from, apart from those the worker owns at the
 * moment, which belong to it implicitly. Adding and removing take a short lock; choosing at random
 * takes none and is O(1), as is everything else.
 */
/*
 * Implementation notes
 *
 * Invariants
 *   S1  deque.set == this  <=>  slots[deque.indexInSet] == deque and indexInSet < size. Both sides
 *       change under this set's lock only; a move between two sets holds both locks. So a deque is in
 *       at most one set.
 *   S2  Slots at and above size are null.
 *   S3  Of two sets the one with the lower id is locked first.
 *
 * chooseRandom reads size and a slot without the lock. When nobody changes the set the choice is
 * uniform. Otherwise it may return a deque that was just removed, which the thief finds out by the
 * deque's state, or null, which counts as a miss.
 */
final class StealableSet {
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(ProwsDeque[].class);

    private static final int MIN_SLOTS = 8;

    private final int id;
    private volatile @Nullable ProwsDeque[] slots = new ProwsDeque[MIN_SLOTS];
    private volatile int size;
    private boolean closed;

    StealableSet(int id) {
        this.id = id;
    }

    /** Lists a deque that is in no set. Only its owner may. Returns false if the set was closed. */
    synchronized boolean add(ProwsDeque deque) {
        if (deque.set != null) {
            throw new IllegalStateException("a deque is in a stealable set already: " + deque);
        }
        if (closed) {
            return false;
        }
        insert(deque);
        return true;
    }

    /** Takes a deque out of whatever set it is in, and returns that set, or null if there was none. */
    static @Nullable StealableSet remove(ProwsDeque deque) {
        for (; ; ) {
            final StealableSet set = deque.set;
            if (set == null) {
                return null;
            }
            synchronized (set) {
                if (deque.set == set) { // else rebalancing moved it meanwhile
                    set.takeOut(deque);
                    deque.set = null;
                    return set;
                }
            }
        }
    }

    /** A deque of this set, each with the same probability; null if there is none. */
    @Nullable ProwsDeque chooseRandom(XorShift random) {
        final int size = this.size;
        return size == 0 ? null : get(random.nextInt(size));
    }

    /** The deque at an index below {@link #size()}, or null if it was removed meanwhile. */
    @Nullable ProwsDeque get(int index) {
        final @Nullable ProwsDeque[] slots = this.slots;
        // acquire: pairs with the release in insert and takeOut
        return index < slots.length ? (ProwsDeque) SLOT.getAcquire(slots, index) : null;
    }

    int size() {
        return size;
    }

    /** Moves one deque, chosen at random, from one set to another. Returns it, or null if none was moved. */
    static @Nullable ProwsDeque moveRandom(StealableSet from, StealableSet to, XorShift random) {
        if (from == to || from.size == 0) {
            return null;
        }
        final StealableSet first = from.id < to.id ? from : to;
        final StealableSet second = first == from ? to : from;
        synchronized (first) {
            synchronized (second) {
                final ProwsDeque deque = to.closed ? null : from.chooseRandom(random);
                if (deque != null) {
                    // deque.set goes from one set to the other at once: were it null in between, a
                    // remover without the lock would believe the deque to be in no set.
                    from.takeOut(deque);
                    to.insert(deque);
                }
                return deque;
            }
        }
    }

    /** Nothing can be added any more. What is in the set can be removed or moved. */
    synchronized void close() {
        closed = true;
    }

    private void insert(ProwsDeque deque) {
        final int end = size;
        @Nullable ProwsDeque[] slots = this.slots;
        if (end == slots.length) {
            slots = Arrays.copyOf(slots, end << 1);
            this.slots = slots;
        }
        SLOT.setRelease(slots, end, deque);
        deque.indexInSet = end;
        deque.set = this;
        size = end + 1;
    }

    /** The caller sets deque.set. */
    private void takeOut(ProwsDeque deque) {
        final @Nullable ProwsDeque[] slots = this.slots;
        final int end = size - 1;
        final int index = deque.indexInSet;
        final ProwsDeque last = slots[end];
        size = end;
        if (last != null && last != deque) {
            SLOT.setRelease(slots, index, last);
            last.indexInSet = index;
        }
        SLOT.setRelease(slots, end, null);
        if (end < slots.length >> 2 && slots.length > MIN_SLOTS) { // a burst must not hold memory for ever
            this.slots = Arrays.copyOf(slots, slots.length >> 1);
        }
    }
}
