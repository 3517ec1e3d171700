package dev.latencyhiding;

import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The three queues that all workers look at between nodes, beside their own deques. All are first in,
 * first out.
 *
 * <ul>
 *   <li><b>Wake-ups</b>: one entry for each resumed node. Workers look here first. It is the {@link
 *       Suspension} that was resumed, whose node may be gone, because the deque's owner or a thief was
 *       faster; or the node itself, if it comes back without a suspension.
 *   <li><b>Left</b>: deques with nodes that nobody owns, so that they are not forgotten while all are busy; at
 *       most once each.
 *   <li><b>Arrivals</b>: nodes that came from outside.
 * </ul>
 */
final class Lanes {
    /**
     * A node in a queue. Not the node itself: a queue's elements must be cast, which is slow on several workers if the
     * type is an interface (see {@link WorkDeque}). A million launches from outside took 0.93 s instead of 0.74.
     */
    static final class Entry {
        final Runnable node;

        private Entry(Runnable node) {
            this.node = node;
        }
    }

    private final ConcurrentLinkedQueue<Object> wakeUps = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<ProwsDeque> left = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Entry> arrivals = new ConcurrentLinkedQueue<>();

    void offerWakeUp(Suspension suspension) {
        wakeUps.add(suspension);
    }

    void offerWakeUp(Runnable node) {
        wakeUps.add(new Entry(node));
    }

    /** A {@link Suspension} or an {@link Entry}; null if there is none. */
    @Nullable Object pollWakeUp() {
        return wakeUps.poll();
    }

    boolean hasWakeUps() {
        return !wakeUps.isEmpty();
    }

    /** Nothing happens if the deque is in the queue. */
    void offerLeft(ProwsDeque deque) {
        if (deque.tryMarkQueued()) {
            left.add(deque);
        }
    }

    @Nullable ProwsDeque pollLeft() {
        return left.poll();
    }

    boolean hasLeft() {
        return !left.isEmpty();
    }

    void offerArrival(Runnable node) {
        arrivals.add(new Entry(node));
    }

    @Nullable Runnable pollArrival() {
        final Entry first = arrivals.poll();
        return first == null ? null : first.node;
    }

    boolean hasArrivals() {
        return !arrivals.isEmpty();
    }

    boolean isEmpty() {
        return !hasWakeUps() && !hasLeft() && !hasArrivals();
    }
}
