package dev.latencyhiding.benchmarks.simulate;

import java.util.Arrays;

/**
 * A computation as a weighted dag (Muller and Acar): nodes run for {@link #weight} units of time without
 * a break; an edge says that a node may only start when another is finished. A node has at most two
 * children: the <em>left</em> one continues its thread, the <em>right</em> one is spawned by it or
 * synchronises with it. The left edge may be <em>heavy</em>: the node blocks, and its continuation is
 * ready {@link #latency} units after it finished. A node behind a heavy edge has no other parent.
 *
 * <p>Node 0 is the root, the only one without a parent.
 */
final class Dag {
    /** No node: a child that is not there, an empty deque. */
    static final int NONE = -1;

    private final int[] weight;
    private final int[] left;
    private final int[] right;
    private final int[] latency;
    private final int[] parents;
    private final long work;
    private final long span;
    private final int waits;

    /** Takes the arrays over. The edges must lead from lower to higher numbers, as {@link DagBuilder} has checked. */
    Dag(int[] weight, int[] left, int[] right, int[] latency) {
        this.weight = weight;
        this.left = left;
        this.right = right;
        this.latency = latency;
        parents = new int[weight.length];
        for (int node = 0; node < weight.length; node++) {
            if (left[node] != NONE) {
                parents[left[node]]++;
            }
            if (right[node] != NONE) {
                parents[right[node]]++;
            }
        }
        work = Arrays.stream(weight).asLongStream().sum();
        span = longestPath();
        waits = (int) Arrays.stream(latency).filter(units -> units > 0).count();
    }

    private long longestPath() {
        final long[] from = new long[size()];
        for (int node = size() - 1; node >= 0; node--) {
            final long onLeft = left[node] == NONE ? 0 : latency[node] + from[left[node]];
            final long onRight = right[node] == NONE ? 0 : from[right[node]];
            from[node] = weight[node] + Math.max(onLeft, onRight);
        }
        return from[0];
    }

    int size() {
        return weight.length;
    }

    int weight(int node) {
        return weight[node];
    }

    int left(int node) {
        return left[node];
    }

    int right(int node) {
        return right[node];
    }

    /** How long the left edge takes: 0 if it is light. */
    int latency(int node) {
        return latency[node];
    }

    /** The number of parents of each node. */
    int[] parents() {
        return parents.clone();
    }

    /** T₁: what all nodes take together. */
    long work() {
        return work;
    }

    /** T∞: the longest path, with the weights of its nodes and the latencies of its heavy edges. */
    long span() {
        return span;
    }

    /** The number of heavy edges. */
    int waits() {
        return waits;
    }
}
