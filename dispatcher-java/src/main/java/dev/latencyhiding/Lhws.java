package dev.latencyhiding;

/**
 * {@link Policy#LHWS}: latency-hiding work stealing, as in Muller and Acar, <em>Latency-Hiding Work
 * Stealing</em> (SPAA '16). {@link LhwsWorker} is the loop; here are the callback and what all workers
 * share, the deques to steal from. {@code docs/schedulers.md} says where ours differs.
 */
final class Lhws extends Algorithm {
    /** Every deque that is in use, whoever owns it: thieves choose among all of them. */
    final StealableSet deques = new StealableSet(0);

    Lhws(SchedulerCore core) {
        super(core);
    }

    @Override
    LhwsWorker newWorker(int id, long seed, Gate gate, boolean spare) {
        return new LhwsWorker(this, id, seed, gate, spare);
    }

    /** callback(v, q): q.resumedVertices.add(v), q.suspendCtr--, resumedDeques.add(q). */
    @Override
    void resume(Suspension suspension, ProwsDeque deque, Counters counters) {
        if (deque.deliver(suspension)) {
            counters.moved(DequeState.SUSPENDED, DequeState.RESUMABLE);
        }
        tellOwner((LhwsDeque) deque);
    }

    /** Without a vertex to resume; but a suspended deque that nothing can come back to must be freed. */
    @Override
    void release(ProwsDeque deque, Counters counters) {
        if (deque.withdraw()) {
            counters.moved(DequeState.SUSPENDED, DequeState.RESUMABLE);
            tellOwner((LhwsDeque) deque);
        }
    }

    /** Any thread: the owner of the deque should look at it soon. A hint, which may come too late. */
    void tellOwner(LhwsDeque deque) {
        final LhwsWorker owner = deque.owner();
        if (deque.tryMarkQueued()) {
            owner.addResumed(deque);
        }
        core.idle.signal(owner.sleeper);
    }
}
