package dev.latencyhiding;

/**
 * {@link Policy#CLASSIC}: work stealing as in Blumofe and Leiserson, <em>Scheduling Multithreaded
 * Computations by Work Stealing</em>, with the loop of Arora, Blumofe and Plaxton (SPAA '98). {@link
 * ClassicWorker} is the loop; here is what ends the wait of a worker that is blocked.
 */
final class Classic extends Algorithm {
    Classic(SchedulerCore core) {
        super(core);
    }

    @Override
    ClassicWorker newWorker(int id, long seed, Gate gate, boolean spare) {
        return new ClassicWorker(core, id, seed, gate, spare);
    }

    @Override
    void resume(Suspension suspension, ProwsDeque deque, Counters counters) {
        final boolean unblocks = deque.deliver(suspension);
        end(unblocks, (ClassicDeque) deque, counters);
    }

    @Override
    void release(ProwsDeque deque, Counters counters) {
        end(deque.withdraw(), (ClassicDeque) deque, counters);
    }

    private static void end(boolean unblocks, ClassicDeque deque, Counters counters) {
        if (unblocks) {
            counters.moved(DequeState.SUSPENDED, DequeState.RESUMABLE);
        }
        deque.owner.suspensionEnded(unblocks);
    }

    @Override
    void abandonSuspensions() {
        for (Worker worker : core.workers.all()) {
            ((ClassicWorker) worker).unblock();
        }
    }
}
