package dev.latencyhiding;

/**
 * {@link Policy#PROWS_R}. {@code docs/algorithm.md} goes through it line by line; {@link ProwsWorker} is
 * the loop, here is Algorithm 2, the callback.
 */
final class ProwsR extends Algorithm {
    ProwsR(SchedulerCore core) {
        super(core);
    }

    @Override
    Worker newWorker(int id, long seed, Gate gate, boolean spare) {
        return new ProwsWorker(core, id, seed, gate, spare);
    }

    @Override
    void resume(Suspension suspension, ProwsDeque deque, Counters counters) {
        // First, since it may fail: a node that is delivered must be announced.
        final ProwsWorker guest = core.guests.tryEnter(suspension);
        if (guest == null) {
            comeBack(suspension, deque, counters);
        } else if (comeBack(suspension, deque, counters)) {
            CompletionThread.admit(guest, suspension);
            return;
        } else {
            core.guests.withdraw(guest); // the deque's owner is awake and sees the node
        }
        core.lanes.offerWakeUp(suspension);
        core.idle.signal();
    }

    /** Returns whether it ended the wait of a deque, so that no worker sees to it. */
    private static boolean comeBack(Suspension suspension, ProwsDeque deque, Counters counters) {
        if (suspension.cameToDeque()) {
            final boolean resumed = deque.deliver(suspension);
            if (resumed) {
                counters.moved(DequeState.SUSPENDED, DequeState.RESUMABLE);
            }
            return resumed;
        }
        if (suspension.cameEarly()) {
            return false;
        }
        counters.moved(DequeState.SUSPENDED, DequeState.ACTIVE); // it stood for an empty deque
        return true;
    }

    @Override
    void release(ProwsDeque deque, Counters counters) {
        if (deque.withdraw()) {
            counters.moved(DequeState.SUSPENDED, DequeState.RESUMABLE);
            settle(deque, counters);
        }
    }

    /** A deque whose last suspension was released is free for others; an empty one is garbage. */
    private void settle(ProwsDeque deque, Counters counters) {
        if (deque.isEmpty() && deque.tryClaim(DequeState.RESUMABLE)) {
            // The deque may have been freed and used again since: then it is not this thread's business.
            if (deque.openSuspensions() == 0 && deque.isEmpty()) {
                counters.moved(DequeState.RESUMABLE, DequeState.ACTIVE);
                StealableSet.remove(deque);
                return;
            }
            deque.leave(DequeState.RESUMABLE);
        }
        core.lanes.offerLeft(deque); // whoever takes it from there sees how it stands then
        core.idle.signal();
    }
}
