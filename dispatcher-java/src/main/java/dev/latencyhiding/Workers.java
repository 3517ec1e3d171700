package dev.latencyhiding;

import java.util.Arrays;

/** The workers of one scheduler, spare ones included, and its {@link Guests}. Changes are rare and copy the arrays. */
final class Workers {
    private static final Worker[] NONE = {};

    private volatile Worker[] all = NONE;

    /** All, and the guests behind them. */
    private volatile Worker[] withGuests = NONE;

    /** Do not write to it. */
    Worker[] all() {
        return all;
    }

    /** Everybody who may have nodes. Do not write to it. */
    Worker[] withGuests() {
        return withGuests;
    }

    int count() {
        return all.length;
    }

    /** Each worker, the caller included, with the same probability. */
    Worker random(XorShift random) {
        final Worker[] all = this.all;
        return all[random.nextInt(all.length)];
    }

    /** Lists a deque, which the caller owns, in the stealable set of a random worker. */
    void enlist(ProwsDeque deque, XorShift random) {
        boolean listed;
        do {
            listed = random(random).set.add(deque);
        } while (!listed); // that worker has just retired
    }

    /**
     * Algorithm 3, rebalanceStealables: after a deque was removed from a set, picks a worker at random
     * and moves one of its deques there, so that every worker has about as many.
     */
    boolean rebalance(StealableSet emptied, XorShift random) {
        return StealableSet.moveRandom(random(random).set, emptied, random) != null;
    }

    /** Whether any worker has a node that could be taken. */
    boolean haveNodes() {
        for (Worker worker : withGuests) {
            if (worker.hasStealableNodes()) {
                return true;
            }
        }
        return false;
    }

    /** Whether any worker has something to see to that only it can do. */
    boolean haveErrands() {
        for (Worker worker : all) {
            if (worker.hasErrands()) {
                return true;
            }
        }
        return false;
    }

    /** As {@link #haveNodes}, but for a node that is alone in the deque of a worker. */
    boolean haveSpareNodes() {
        for (Worker worker : withGuests) {
            if (worker.hasSpareNodes()) {
                return true;
            }
        }
        return false;
    }

    synchronized void add(Worker worker) {
        all = with(all, worker);
        withGuests = with(withGuests, worker);
    }

    /** A guest is a victim of sweeps, and no place for deques without an owner. */
    synchronized void addGuest(Worker guest) {
        withGuests = with(withGuests, guest);
    }

    private static Worker[] with(Worker[] workers, Worker another) {
        final Worker[] longer = Arrays.copyOf(workers, workers.length + 1);
        longer[workers.length] = another;
        return longer;
    }

    private static Worker[] without(Worker[] workers, Worker one) {
        return Arrays.stream(workers).filter(other -> other != one).toArray(Worker[]::new);
    }

    /** Removes a worker that owns no deque any more; what is listed in its set moves to others. */
    synchronized void remove(Worker worker, XorShift random) {
        all = without(all, worker);
        withGuests = without(withGuests, worker);
        worker.set.close();
        while (worker.set.size() > 0) {
            StealableSet.moveRandom(worker.set, random(random).set, random);
        }
    }
}
