package dev.latencyhiding.benchmarks.simulate;

/** A deque of ready nodes; the algorithms extend it by what they note down on theirs. */
class NodeDeque {
    private int[] nodes = new int[8];
    private int top;
    private int bottom;

    /** When a thief last took something: of the attempts on one deque in one unit of time, one succeeds. */
    long takenAt = -1;

    final boolean isEmpty() {
        return top == bottom;
    }

    final void pushBottom(int node) {
        if (bottom == nodes.length) {
            makeRoom();
        }
        nodes[bottom++] = node;
    }

    final int popBottom() {
        return isEmpty() ? Dag.NONE : nodes[--bottom];
    }

    final int popTop() {
        return isEmpty() ? Dag.NONE : nodes[top++];
    }

    private void makeRoom() {
        final int size = bottom - top;
        final int[] target = size > nodes.length / 2 ? new int[2 * nodes.length] : nodes;
        System.arraycopy(nodes, top, target, 0, size);
        nodes = target;
        top = 0;
        bottom = size;
    }
}
