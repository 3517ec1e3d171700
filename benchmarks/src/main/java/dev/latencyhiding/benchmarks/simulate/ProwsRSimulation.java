package dev.latencyhiding.benchmarks.simulate;

import static dev.latencyhiding.benchmarks.simulate.Dag.NONE;

import dev.latencyhiding.benchmarks.simulate.StealableDeque.State;
import org.jspecify.annotations.Nullable;

/**
 * ProWS-R, proactive work stealing with suspendable deques, as in Algorithms 1 to 3 of Weidinger's report (its line
 * numbers are given). A worker's active deque belongs to its stealable set without being listed there.
 */
final class ProwsRSimulation extends Simulation {
    private final @Nullable StealableDeque[] active;
    private final StealableSet[] stealable;
    /** The suspended deque that a node will come back to. */
    private final @Nullable StealableDeque[] home;

    ProwsRSimulation(Dag dag, int workers, long seed) {
        super(dag, workers, seed);
        active = new StealableDeque[workers];
        stealable = new StealableSet[workers];
        home = new StealableDeque[dag.size()];
        for (int worker = 0; worker < workers; worker++) {
            active[worker] = createDeque();
            stealable[worker] = new StealableSet(worker);
        }
    }

    /** Lines 4 to 16, and 28 to 31. */
    @Override
    void finish(int worker, int node) {
        final StealableDeque deque = ownDeque(worker);
        pushChildren(node, deque);
        if (blocks(node)) {
            suspend(worker, deque);
            home[dag.left(node)] = deque;
            await(node);
            search(worker);
        } else {
            goOn(worker, deque);
        }
    }

    /** Lines 19 to 25. */
    private void suspend(int worker, StealableDeque deque) {
        deque.state = State.SUSPENDED;
        active[worker] = null;
        if (!deque.isEmpty()) {
            randomSet().add(deque);
        }
    }

    /** Lines 36 to 45. */
    @Override
    void resume(int node) {
        final StealableDeque deque = home[node];
        if (deque == null || deque.state != State.SUSPENDED) {
            throw new IllegalStateException("node " + node + " comes back to a deque that is not suspended");
        }
        home[node] = null;
        pushBottom(deque, node);
        deque.state = State.RESUMABLE;
        if (deque.listedAt == StealableDeque.UNLISTED) {
            randomSet().add(deque);
        }
    }

    /** Lines 48 to 68, once. */
    @Override
    boolean attempt(int thief) {
        final StealableDeque deque = chooseRandom(random.nextInt(workers));
        if (deque == null) {
            tally.failedSteals++;
            return false;
        }
        if (deque.state == State.MUGGABLE && claim(deque)) {
            start(thief, mug(thief, deque));
            return true;
        }
        final int node = steal(deque);
        if (node == NONE) {
            return false;
        }
        if (deque.isEmpty() && deque.state != State.ACTIVE) {
            delist(deque);
            if (deque.state != State.SUSPENDED) {
                tally.dequeFreed();
            }
        } else if (deque.state == State.RESUMABLE) {
            deque.state = State.MUGGABLE;
        }
        if (active[thief] == null) {
            active[thief] = createDeque();
        }
        start(thief, node);
        return true;
    }

    /** Lines 71 to 81. A thief's own deque, if it has one, is empty. */
    private int mug(int thief, StealableDeque deque) {
        tally.muggings++;
        delist(deque);
        deque.state = State.ACTIVE;
        if (active[thief] != null) {
            tally.dequeFreed();
        }
        active[thief] = deque;
        return popBottom(deque);
    }

    private void delist(StealableDeque deque) {
        final StealableSet set = stealable[deque.listedAt];
        set.remove(deque);
        rebalance(set);
    }

    /** Moves a deque from a random set to one that has lost one. */
    private void rebalance(StealableSet set) {
        final StealableSet other = randomSet();
        if (other != set && other.size() > 0) {
            final StealableDeque deque = other.get(other.size() - 1);
            other.remove(deque);
            set.add(deque);
        }
    }

    private @Nullable StealableDeque chooseRandom(int victim) {
        final StealableDeque own = active[victim];
        final StealableSet set = stealable[victim];
        final int choices = set.size() + (own == null ? 0 : 1);
        if (choices == 0) {
            return null;
        }
        final int choice = random.nextInt(choices);
        return choice < set.size() ? set.get(choice) : own;
    }

    private StealableSet randomSet() {
        return stealable[random.nextInt(workers)];
    }

    private StealableDeque ownDeque(int worker) {
        final StealableDeque deque = active[worker];
        if (deque == null) {
            throw new IllegalStateException("worker " + worker + " ran a node without a deque");
        }
        return deque;
    }

    private StealableDeque createDeque() {
        tally.dequeCreated();
        return new StealableDeque();
    }
}
