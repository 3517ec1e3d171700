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
 *       faster; or the {@code Runnable} itself, if the node comes back without a suspension.
 *   <li><b>Left</b>: deques with nodes that nobody owns, so that they are not forgotten while all are busy; at
 *       most once each.
 *   <li><b>Arrivals</b>: nodes that came from outside.
 * </ul>
 */
final class Lanes {
    private final ConcurrentLinkedQueue<Object> wakeUps = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<ProwsDeque> left = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Runnable> arrivals = new ConcurrentLinkedQueue<>();

    void offerWakeUp(Suspension suspension) {
        wakeUps.add(suspension);
    }

    void offerWakeUp(Runnable node) {
        wakeUps.add(node);
    }

    /** A {@link Suspension} or a {@code Runnable}; null if there is none. */
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
        arrivals.add(node);
    }

    @Nullable Runnable pollArrival() {
        return arrivals.poll();
    }

    boolean hasArrivals() {
        return !arrivals.isEmpty();
    }

    boolean isEmpty() {
        return !hasWakeUps() && !hasLeft() && !hasArrivals();
    }
}
