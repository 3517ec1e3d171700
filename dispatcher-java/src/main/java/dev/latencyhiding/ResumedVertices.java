package dev.latencyhiding;

import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Vertices that were resumed on one deque of {@link Lhws}, as one: a parallel for. Executed, it forks
 * off the upper half, keeps halving the rest, and ends as the first vertex. So n vertices make a tree
 * of depth ⌈lg n⌉ below the first, each is executed once by a node of its own, and a thief that pops
 * the top of the deque takes the largest half that is left.
 */
final class ResumedVertices implements Runnable {
    private final @Nullable Runnable[] vertices;
    private final int from;
    private final int to;

    private ResumedVertices(@Nullable Runnable[] vertices, int from, int to) {
        this.vertices = vertices;
        this.from = from;
        this.to = to;
    }

    /**
     * Takes the nodes of suspensions that were resumed.
     *
     * @param youngest the first of a list, linked by {@code next}, in which the oldest is the last
     * @return one node for all; null if there are none
     */
    static @Nullable Runnable of(@Nullable Suspension youngest) {
        int count = 0;
        for (Suspension resumed = youngest; resumed != null; resumed = resumed.next) {
            count++;
        }
        final @Nullable Runnable[] vertices = new Runnable[count];
        int first = count; // the oldest first: the owner goes through them in this order
        for (Suspension resumed = youngest; resumed != null; ) {
            final Suspension next = resumed.next;
            resumed.next = null; // lest a chain of old ones be kept alive
            final Runnable vertex = resumed.takeNode();
            if (vertex != null) {
                vertices[--first] = vertex;
            }
            resumed = next;
        }
        return first == count ? null : new ResumedVertices(vertices, first, count).orItself();
    }

    private Runnable orItself() {
        return size() == 1 ? takeFirst() : this;
    }

    int size() {
        return to - from;
    }

    private Runnable takeFirst() {
        final Runnable vertex = Objects.requireNonNull(vertices[from]);
        vertices[from] = null; // the others must not keep it alive
        return vertex;
    }

    @Override
    public void run() {
        final Worker worker = Objects.requireNonNull(Worker.current(), "not on a worker");
        fork(worker::push).run();
    }

    /** Forks off all but the first vertex, and returns that. */
    Runnable fork(Consumer<Runnable> pushBottom) {
        int end = to;
        while (end - from > 1) {
            final int middle = (from + end) >>> 1;
            pushBottom.accept(new ResumedVertices(vertices, middle, end));
            end = middle;
        }
        return takeFirst();
    }
}
