package dev.latencyhiding.benchmarks.simulate;

import static dev.latencyhiding.benchmarks.simulate.Dag.NONE;

import java.util.Arrays;

/** Builds a {@link Dag} node by node and refuses whatever its class comment rules out. */
final class DagBuilder {
    private int[] weight = new int[64];
    private int[] left = new int[64];
    private int[] right = new int[64];
    private int[] latency = new int[64];
    private int size;

    /** Adds a node and returns its number. */
    int node(int units) {
        if (units < 1) {
            throw new IllegalArgumentException("a node takes at least one unit of time, not " + units);
        }
        if (size == weight.length) {
            weight = Arrays.copyOf(weight, 2 * size);
            left = Arrays.copyOf(left, 2 * size);
            right = Arrays.copyOf(right, 2 * size);
            latency = Arrays.copyOf(latency, 2 * size);
        }
        weight[size] = units;
        left[size] = NONE;
        right[size] = NONE;
        return size++;
    }

    /** A light edge to the continuation of {@code from}. */
    void then(int from, int to) {
        setLeft(from, to, 0);
    }

    /** A heavy edge: {@code from} blocks, and {@code to} is ready {@code units} later. A latency of 0 is a light edge. */
    void await(int from, int to, int units) {
        if (units < 0) {
            throw new IllegalArgumentException("negative latency " + units + " of the edge " + from + " to " + to);
        }
        setLeft(from, to, units);
    }

    /** A light edge to a thread that {@code from} spawns, or synchronises with. */
    void spawn(int from, int to) {
        check(from, to, right[from]);
        right[from] = to;
    }

    boolean hasLeft(int node) {
        return left[node] != NONE;
    }

    boolean hasRight(int node) {
        return right[node] != NONE;
    }

    Dag build() {
        if (size == 0) {
            throw new IllegalStateException("a dag has at least one node");
        }
        final Dag dag = new Dag(
                Arrays.copyOf(weight, size),
                Arrays.copyOf(left, size),
                Arrays.copyOf(right, size),
                Arrays.copyOf(latency, size));
        final int[] parents = dag.parents();
        for (int node = 1; node < size; node++) {
            if (parents[node] == 0) {
                throw new IllegalStateException("node " + node + " has no parent, but only node 0 is a root");
            }
        }
        for (int node = 0; node < size; node++) {
            if (latency[node] > 0 && parents[left[node]] > 1) {
                throw new IllegalStateException(
                        "node " + left[node] + " is behind a heavy edge and has another parent");
            }
        }
        return dag;
    }

    private void setLeft(int from, int to, int units) {
        check(from, to, left[from]);
        left[from] = to;
        latency[from] = units;
    }

    private void check(int from, int to, int present) {
        if (to <= from || to >= size) {
            throw new IllegalArgumentException(
                    "an edge leads to a later node below " + size + ", not from " + from + " to " + to);
        }
        if (present != NONE) {
            throw new IllegalStateException("node " + from + " has this child already: " + present);
        }
    }
}
