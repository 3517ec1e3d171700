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
        pushChildren(node, deques[worker]);
        if (blocks(node)) {
            blocked[dag.left(node)] = worker;
            await(node);
        } else {
            goOn(worker, deques[worker]);
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
