package dev.latencyhiding;

import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The two queues that all workers look at between nodes, beside their own deques. Both are first in,
 * first out.
 *
 * <ul>
 *   <li><b>Wake-ups</b>: one entry for each resumed node. Workers look here first. It is the {@link
 *       Suspension} that was resumed, whose node may be gone, because the deque's owner or a thief was
 *       faster; or the {@code Runnable} itself, if the node comes back without a suspension.
 *   <li><b>Arrivals</b>: whatever waits for its turn without a worker of its own. A node that came
 *       from outside or that yielded, as a {@code Runnable}; or a deque with nodes left that nobody
 *       works on, as a {@link ProwsDeque}, at most once each.
 * </ul>
 */
final class Lanes {
    private final ConcurrentLinkedQueue<Object> wakeUps = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Object> arrivals = new ConcurrentLinkedQueue<>();

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

    void offerArrival(Runnable node) {
        arrivals.add(node);
    }

    /** For a deque with nodes that nobody owns, so that it is not forgotten while all are busy. */
    void offerArrival(ProwsDeque deque) {
        if (deque.tryMarkQueued()) {
            arrivals.add(deque);
        }
    }

    /** A {@code Runnable} or a {@link ProwsDeque}; null if there is none. */
    @Nullable Object pollArrival() {
        return arrivals.poll();
    }

    boolean hasArrivals() {
        return !arrivals.isEmpty();
    }

    boolean isEmpty() {
        return wakeUps.isEmpty() && arrivals.isEmpty();
    }
}
