package dev.latencyhiding.benchmarks.simulate;

import java.util.Arrays;

/** Who ran which node when: the record of a run, and the judge of it. */
final class Schedule {
    private static final long NEVER = -1;

    private final Dag dag;
    private final long[] start;
    private final int[] worker;

    Schedule(Dag dag) {
        this.dag = dag;
        start = new long[dag.size()];
        worker = new int[dag.size()];
        Arrays.fill(start, NEVER);
    }

    /** Notes that a worker starts a node. */
    void started(int node, int byWorker, long time) {
        if (start[node] != NEVER) {
            throw new IllegalStateException("node " + node + " started at " + start[node] + " and again at " + time);
        }
        start[node] = time;
        worker[node] = byWorker;
    }

    /** When the last node finishes. */
    long makespan() {
        long last = 0;
        for (int node = 0; node < dag.size(); node++) {
            last = Math.max(last, end(node));
        }
        return last;
    }

    /**
     * Checks that every node ran, none before its parents were finished and the latencies between them
     * over, and no worker two at a time.
     *
     * @throws IllegalStateException naming what is wrong
     */
    void check() {
        for (int node = 0; node < dag.size(); node++) {
            if (start[node] == NEVER) {
                throw new IllegalStateException("node " + node + " never ran");
            }
        }
        for (int node = 0; node < dag.size(); node++) {
            checkOrder(node, dag.left(node), dag.latency(node));
            checkOrder(node, dag.right(node), 0);
        }
        checkWorkers();
    }

    private void checkOrder(int node, int child, int latency) {
        if (child != Dag.NONE && start[child] < end(node) + latency) {
            throw new IllegalStateException("node " + child + " started at " + start[child] + ", its parent " + node
                    + " ended at " + end(node) + ", the latency between them is " + latency);
        }
    }

    private void checkWorkers() {
        final Integer[] byStart = new Integer[dag.size()];
        Arrays.setAll(byStart, node -> node);
        Arrays.sort(byStart, (one, other) -> Long.compare(start[one], start[other]));
        final long[] busyUntil = new long[Arrays.stream(worker).max().orElseThrow() + 1];
        for (int node : byStart) {
            if (start[node] < busyUntil[worker[node]]) {
                throw new IllegalStateException("worker " + worker[node] + " started node " + node + " at "
                        + start[node] + " while it was busy until " + busyUntil[worker[node]]);
            }
            busyUntil[worker[node]] = end(node);
        }
    }

    private long end(int node) {
        return start[node] + dag.weight(node);
    }
}
