package dev.latencyhiding.benchmarks.simulate;

import static dev.latencyhiding.benchmarks.simulate.Dag.NONE;

/** Families of computations, from the literature and from practice. */
enum DagKind {
    /** Divide and conquer: a full binary tree of forks and joins; one leaf in four waits half way. */
    FORK_JOIN {
        @Override
        Dag build(DagShape shape) {
            final DagBuilder dag = new DagBuilder();
            final SplitMix random = new SplitMix(shape.seed());
            tree(dag, shape.size(), () -> {
                if (!random.oneIn(4)) {
                    final int leaf = dag.node(shape.grain());
                    return new Part(leaf, leaf);
                }
                final int first = dag.node(Math.max(1, shape.grain() / 2));
                final int second = dag.node(Math.max(1, shape.grain() - shape.grain() / 2));
                dag.await(first, second, shape.latency());
                return new Part(first, second);
            });
            return dag.build();
        }
    },
    /** Muller and Acar's distributed map and reduce: every leaf fetches its input, then computes. */
    MAP_REDUCE {
        @Override
        Dag build(DagShape shape) {
            final DagBuilder dag = new DagBuilder();
            tree(dag, shape.size(), () -> {
                final int fetch = dag.node(1);
                final int compute = dag.node(shape.grain());
                dag.await(fetch, compute, shape.latency());
                return new Part(fetch, compute);
            });
            return dag.build();
        }
    },
    /** Items that pass stages in order, each stage one item at a time; after the middle stage each item waits. */
    PIPELINE {
        @Override
        Dag build(DagShape shape) {
            return pipeline(shape);
        }
    },
    /** Muller and Acar's server: inputs come one after the other, each is handled by a fork-join tree of its own. */
    SERVER {
        @Override
        Dag build(DagShape shape) {
            return server(shape);
        }
    },
    /** Nodes with one or two random earlier parents, of random weight; one in eight waits. */
    RANDOM {
        @Override
        Dag build(DagShape shape) {
            return random(shape);
        }
    };

    private static final int STAGES = 64;
    private static final int HANDLER_LEAVES = 64;
    private static final int GENERATIONS = 64;

    /** A sub-computation: its first and its last node. */
    private record Part(int first, int last) {}

    private interface Leaf {
        Part build();
    }

    /** Builds a dag of this kind. */
    abstract Dag build(DagShape shape);

    private static Part tree(DagBuilder dag, int leaves, Leaf leaf) {
        if (leaves == 1) {
            return leaf.build();
        }
        final int fork = dag.node(1);
        final Part one = tree(dag, leaves / 2, leaf);
        final Part other = tree(dag, leaves - leaves / 2, leaf);
        final int join = dag.node(1);
        dag.then(fork, one.first());
        dag.spawn(fork, other.first());
        dag.then(one.last(), join);
        dag.then(other.last(), join);
        return new Part(fork, join);
    }

    private static Dag pipeline(DagShape shape) {
        final DagBuilder dag = new DagBuilder();
        final int items = Math.max(1, shape.size() / STAGES);
        final int[] previous = new int[STAGES];
        for (int item = 0; item < items; item++) {
            int before = NONE;
            for (int stage = 0; stage < STAGES; stage++) {
                final int node = dag.node(shape.grain());
                if (before != NONE) {
                    dag.then(before, node);
                }
                if (item > 0) {
                    dag.spawn(previous[stage], node);
                }
                previous[stage] = node;
                before = node;
                if (stage == STAGES / 2) {
                    before = dag.node(1);
                    dag.await(node, before, shape.latency());
                }
            }
        }
        return dag.build();
    }

    private static Dag server(DagShape shape) {
        final DagBuilder dag = new DagBuilder();
        final int inputs = Math.max(1, shape.size() / HANDLER_LEAVES);
        int before = dag.node(1);
        for (int input = 0; input < inputs; input++) {
            final int accepted = dag.node(1);
            dag.await(before, accepted, shape.latency());
            final Part handler = tree(dag, HANDLER_LEAVES, () -> {
                final int leaf = dag.node(shape.grain());
                return new Part(leaf, leaf);
            });
            dag.spawn(accepted, handler.first());
            before = dag.node(1);
            dag.then(accepted, before);
        }
        return dag.build();
    }

    private static Dag random(DagShape shape) {
        final DagBuilder dag = new DagBuilder();
        final SplitMix random = new SplitMix(shape.seed());
        final int window = Math.max(2, shape.size() / GENERATIONS);
        dag.node(1);
        for (int count = 1; count < shape.size(); count++) {
            final int parent = recentNode(dag, random, count, window);
            final int other = recentNode(dag, random, count, window);
            final int node = dag.node(1 + random.nextInt(2 * shape.grain() - 1));
            if (dag.hasLeft(parent)) {
                dag.spawn(parent, node);
            } else if (random.oneIn(8)) {
                dag.await(parent, node, shape.latency());
                continue;
            } else {
                dag.then(parent, node);
            }
            if (other != parent && random.oneIn(2)) {
                dag.spawn(other, node);
            }
        }
        return dag.build();
    }

    /** One of the last {@code window} nodes, without a right child: the newest if a few tries find none. */
    private static int recentNode(DagBuilder dag, SplitMix random, int count, int window) {
        for (int attempt = 0; attempt < 8; attempt++) {
            final int node = count - 1 - random.nextInt(Math.min(count, window));
            if (!dag.hasRight(node)) {
                return node;
            }
        }
        return count - 1;
    }
}
