package dev.latencyhiding.benchmarks.simulate;

import static dev.latencyhiding.benchmarks.simulate.Dag.NONE;

/**
 * Classic work stealing (Arora, Blumofe and Plaxton): one deque per worker, and a node that waits blocks its worker,
 * whose deque others may steal from meanwhile.
 */
final class ClassicSimulation extends Simulation {
    private final NodeDeque[] deques;
    /** The worker that waits for a node. */
    private final int[] blocked;

    ClassicSimulation(Dag dag, int workers, long seed) {
        super(dag, workers, seed);
        deques = new NodeDeque[workers];
        for (int worker = 0; worker < workers; worker++) {
            deques[worker] = new NodeDeque();
            tally.dequeCreated();
        }
        blocked = new int[dag.size()];
    }

    @Override
    void finish(int worker, int node) {
        final NodeDeque deque = deques[worker];
        final int left = dag.left(node);
        final boolean blocks = dag.latency(node) > 0;
        if (enables(left) && !blocks) {
            pushBottom(deque, left);
        }
        if (enables(dag.right(node))) {
            pushBottom(deque, dag.right(node));
        }
        if (blocks) {
            blocked[left] = worker;
            await(node);
            return;
        }
        final int next = popBottom(deque);
        if (next == NONE) {
            search(worker);
        } else {
            start(worker, next);
        }
    }

    @Override
    void resume(int node) {
        start(blocked[node], node);
    }

    @Override
    boolean attempt(int thief) {
        final int node = steal(deques[random.nextInt(workers)]);
        if (node == NONE) {
            return false;
        }
        start(thief, node);
        return true;
    }
}
