package dev.latencyhiding;

import org.jspecify.annotations.Nullable;

/**
 * One worker's freed deques and arrays, for use again. Owner only. Bounded, so that a worker which
 * frees more deques than it needs leaves the rest to the garbage collector.
 */
final class DequePool {
    /** Enough for a worker that alternates between suspending and taking wake-ups. Not tuned. */
    static final int MAX_POOLED = 32;

    /** An array that grew larger than this is not kept: one burst must not hold memory for ever. */
    static final int MAX_POOLED_CAPACITY = 1024;

    private final @Nullable ProwsDeque[] deques = new ProwsDeque[MAX_POOLED];
    private final @Nullable WorkDeque[] works = new WorkDeque[MAX_POOLED];
    private int dequeCount;
    private int workCount;

    /** An empty, active deque that belongs to the caller. */
    ProwsDeque take() {
        if (dequeCount > 0) {
            final ProwsDeque pooled = deques[--dequeCount];
            deques[dequeCount] = null;
            if (pooled != null) {
                return pooled;
            }
        }
        return new ProwsDeque();
    }

    /** Frees an empty deque the caller owns, on which no suspension is open (D4). */
    void free(ProwsDeque deque) {
        strip(deque);
        if (dequeCount < MAX_POOLED) {
            deques[dequeCount++] = deque;
        }
    }

    /** Takes the array off an empty deque the caller owns. */
    void strip(ProwsDeque deque) {
        final WorkDeque work = deque.strip();
        if (work != null && workCount < MAX_POOLED && work.capacity() <= MAX_POOLED_CAPACITY) {
            work.clearStolen();
            works[workCount++] = work;
        }
    }

    WorkDeque takeWork() {
        if (workCount > 0) {
            final WorkDeque pooled = works[--workCount];
            works[workCount] = null;
            if (pooled != null) {
                return pooled;
            }
        }
        return new WorkDeque();
    }

    int size() {
        return dequeCount;
    }
}
