package dev.latencyhiding.benchmarks.simulate;

import java.util.Arrays;
import java.util.NoSuchElementException;

/**
 * What will happen when: a binary heap of times, each with a number that says what it is about. At the
 * same time, operations complete before nodes do.
 */
final class EventQueue {
    private long[] keys = new long[256];
    private int[] subjects = new int[256];
    private int size;

    /** The latency before {@code node} is over. */
    void addResume(long time, int node) {
        add(2 * time, node);
    }

    /** {@code worker} finishes the node it runs. */
    void addFinish(long time, int worker) {
        add(2 * time + 1, worker);
    }

    boolean isEmpty() {
        return size == 0;
    }

    long time() {
        if (size == 0) {
            throw new NoSuchElementException("nothing will happen any more");
        }
        return keys[0] >> 1;
    }

    boolean isResume() {
        return (keys[0] & 1) == 0;
    }

    /** Removes the first event and returns its subject: a node or a worker. */
    int take() {
        final int subject = subjects[0];
        size--;
        final long key = keys[size];
        final int moved = subjects[size];
        int hole = 0;
        for (int child = 1; child < size; child = 2 * hole + 1) {
            if (child + 1 < size && keys[child + 1] < keys[child]) {
                child++;
            }
            if (key <= keys[child]) {
                break;
            }
            keys[hole] = keys[child];
            subjects[hole] = subjects[child];
            hole = child;
        }
        keys[hole] = key;
        subjects[hole] = moved;
        return subject;
    }

    private void add(long key, int subject) {
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, 2 * size);
            subjects = Arrays.copyOf(subjects, 2 * size);
        }
        int hole = size++;
        while (hole > 0 && keys[(hole - 1) / 2] > key) {
            final int parent = (hole - 1) / 2;
            keys[hole] = keys[parent];
            subjects[hole] = subjects[parent];
            hole = parent;
        }
        keys[hole] = key;
        subjects[hole] = subject;
    }
}
