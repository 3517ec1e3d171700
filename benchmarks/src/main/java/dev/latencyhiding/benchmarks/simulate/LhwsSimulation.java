package dev.latencyhiding.benchmarks.simulate;

import static dev.latencyhiding.benchmarks.simulate.Dag.NONE;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * LHWS, latency-hiding work stealing (Muller and Acar): a worker whose node blocks goes on with its deque. It
 * owns many deques; when its active one is empty it changes to another that is ready, and only then steals, from
 * a deque chosen among all that were ever made. Nodes that come back to one deque are pushed onto it together, by
 * the owner, between two nodes, as one vertex that unfolds into a balanced tree.
 */
final class LhwsSimulation extends Simulation {
    /** A deque, the worker it belongs to, and the nodes it waits for. */
    private static final class OwnedDeque extends NodeDeque {
        final Owner owner;
        final List<Integer> resumed = new ArrayList<>();
        int suspended;

        OwnedDeque(Owner owner) {
            this.owner = owner;
        }
    }

    /** What one worker owns. Every one of its other deques waits for nodes to come back. */
    private static final class Owner {
        @Nullable OwnedDeque active;

        final Deque<OwnedDeque> ready = new ArrayDeque<>();
        final Deque<OwnedDeque> free = new ArrayDeque<>();
        final List<OwnedDeque> resumed = new ArrayList<>();
    }

    /** A vertex of the scheduler's own: nodes that came back, to be split in two. */
    private record Range(List<Integer> nodes, int from, int to) {}

    private final Owner[] owners;
    private final List<OwnedDeque> pool = new ArrayList<>();
    private final List<Range> ranges = new ArrayList<>();
    /** The deque that a node will come back to. */
    private final @Nullable OwnedDeque[] home;
    /** Deques that are ready or that nodes came back to: their owners find work without a steal. */
    private int waitingDeques;

    LhwsSimulation(Dag dag, int workers, long seed) {
        super(dag, workers, seed);
        owners = new Owner[workers];
        home = new OwnedDeque[dag.size()];
        for (int worker = 0; worker < workers; worker++) {
            owners[worker] = new Owner();
        }
        owners[0].active = newDeque(owners[0]);
    }

    @Override
    boolean canFindWork() {
        return super.canFindWork() || waitingDeques > 0;
    }

    @Override
    void finish(int worker, int node) {
        final Owner owner = owners[worker];
        final OwnedDeque deque = owner.active;
        if (deque == null) {
            throw new IllegalStateException("worker " + worker + " ran a node without a deque");
        }
        if (node < dag.size()) {
            if (enables(dag.right(node))) {
                pushBottom(deque, dag.right(node));
            }
            addResumed(owner);
            handleLeft(node, deque);
        } else {
            final Range range = ranges.get(node - dag.size());
            final int middle = (range.from() + range.to()) >>> 1;
            pushBottom(deque, vertex(range.nodes(), middle, range.to()));
            addResumed(owner);
            pushBottom(deque, vertex(range.nodes(), range.from(), middle));
        }
        goOn(worker, deque);
    }

    private void handleLeft(int node, OwnedDeque deque) {
        final int left = dag.left(node);
        if (!enables(left)) {
            return;
        }
        if (blocks(node)) {
            deque.suspended++;
            home[left] = deque;
            await(node);
        } else {
            pushBottom(deque, left);
        }
    }

    @Override
    void resume(int node) {
        final OwnedDeque deque = home[node];
        if (deque == null) {
            throw new IllegalStateException("node " + node + " comes back to no deque");
        }
        home[node] = null;
        deque.suspended--;
        if (deque.resumed.isEmpty()) {
            deque.owner.resumed.add(deque);
            waitingDeques++;
        }
        deque.resumed.add(node);
    }

    /** Pushes what came back, one vertex for each deque. */
    private void addResumed(Owner owner) {
        for (OwnedDeque deque : owner.resumed) {
            final List<Integer> nodes = List.copyOf(deque.resumed);
            deque.resumed.clear();
            pushBottom(deque, vertex(nodes, 0, nodes.size()));
            if (deque == owner.active || owner.ready.contains(deque)) {
                waitingDeques--;
            } else {
                owner.ready.add(deque);
            }
        }
        owner.resumed.clear();
    }

    private int vertex(List<Integer> nodes, int from, int to) {
        if (to - from == 1) {
            return nodes.get(from);
        }
        ranges.add(new Range(nodes, from, to));
        return dag.size() + ranges.size() - 1;
    }

    @Override
    boolean attempt(int thief) {
        final Owner owner = owners[thief];
        leaveActive(owner);
        int node = NONE;
        final OwnedDeque ready = owner.ready.poll();
        if (ready != null) {
            tally.switches++;
            waitingDeques--;
            owner.active = ready;
        } else {
            node = steal(pool.get(random.nextInt(pool.size())));
            if (node != NONE) {
                owner.active = newDeque(owner);
            }
        }
        addResumed(owner);
        if (node == NONE && owner.active != null) {
            node = popBottom(owner.active);
        }
        if (node == NONE) {
            return false;
        }
        start(thief, node);
        return true;
    }

    /** Gives up the active deque, which is empty; it is freed if no node comes back to it. */
    private void leaveActive(Owner owner) {
        final OwnedDeque deque = owner.active;
        if (deque != null && deque.suspended == 0 && deque.resumed.isEmpty()) {
            tally.dequeFreed();
            owner.free.push(deque);
        }
        owner.active = null;
    }

    private OwnedDeque newDeque(Owner owner) {
        tally.dequeCreated();
        final OwnedDeque used = owner.free.poll();
        if (used != null) {
            return used;
        }
        final OwnedDeque fresh = new OwnedDeque(owner);
        pool.add(fresh);
        return fresh;
    }
}
