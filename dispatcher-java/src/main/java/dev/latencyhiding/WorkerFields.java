package dev.latencyhiding;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What others read of a worker, a cache line away from what the worker writes with every node, which
 * is in {@link Worker}.
 */
abstract class WorkerFields {
    private static final VarHandle ACTIVE = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "active", VarHandle.class, WorkerFields.class, ProwsDeque.class);
    private static final VarHandle HOME = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "home", VarHandle.class, WorkerFields.class, ProwsDeque.class);

    /** The deques listed with this worker. */
    final StealableSet set;

    /**
     * Nodes that yielded while the worker ran them, as a queue: it adds at the bottom, and takes from the top as
     * thieves do. Always active, never listed in a set.
     */
    final ProwsDeque yielded = new ProwsDeque();

    /** The deque the worker pushes to and pops from. Written by the worker only. */
    private volatile @Nullable ProwsDeque active;

    /** The worker's own deque while it runs a wake-up or an arrival on another. Written by the worker only. */
    private volatile @Nullable ProwsDeque home;

    WorkerFields(StealableSet set) {
        this.set = set;
    }

    final @Nullable ProwsDeque active() {
        return active;
    }

    final @Nullable ProwsDeque home() {
        return home;
    }

    /**
     * A release store: a thief that reads the deque sees it initialised. No fence is needed, because a
     * node pushed to the deque is announced with one (IdleWorkers.signal).
     */
    final void setActive(@Nullable ProwsDeque deque) {
        ACTIVE.setRelease(this, deque);
    }

    /** A release store, as above. */
    final void setHome(@Nullable ProwsDeque deque) {
        HOME.setRelease(this, deque);
    }
}
