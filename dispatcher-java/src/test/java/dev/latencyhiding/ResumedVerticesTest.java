package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The tree by which LHWS injects what was resumed: balanced, each vertex once, and halves to steal. To
 * see it fail, split at {@code from + 1} in ResumedVertices.fork, or start it at {@code middle + 1}.
 */
class ResumedVerticesTest {
    private final List<Runnable> vertices = new ArrayList<>();

    /** So many suspensions that were resumed, one after another, in the order of {@link #vertices}. */
    private Suspension resumed(int count) {
        Suspension youngest = null;
        for (int i = 0; i < count; i++) {
            final Suspension suspension = new Suspension(null, null);
            final int number = i;
            final Runnable vertex = () -> assertTrue(number >= 0);
            vertices.add(vertex);
            assertTrue(suspension.tryResume(vertex));
            suspension.next = youngest;
            youngest = suspension;
        }
        return youngest;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 9, 100, 1000, 1024, 1025})
    void tree_ofManyVertices_isBalancedAndHasEachOnce(int count) {
        final Runnable root = ResumedVertices.of(resumed(count));
        final List<Runnable> leaves = new ArrayList<>();
        final int depth = walk(root, leaves);

        assertTrue(depth <= Math.log(count) / Math.log(2) + 1, count + " vertices: depth " + depth);
        assertEquals(count, leaves.size());
        assertEquals(Collections.emptyList(), missing(leaves));
    }

    /** Forks the whole tree; returns its depth. */
    private static int walk(Runnable node, List<Runnable> leaves) {
        if (!(node instanceof ResumedVertices tree)) {
            leaves.add(node);
            return 0;
        }
        final List<Runnable> forked = new ArrayList<>();
        leaves.add(tree.fork(forked::add));
        int deepest = 0;
        for (int i = 0; i < forked.size(); i++) {
            // The i-th fork is the right child of a vertex that is i levels down.
            deepest = Math.max(deepest, i + 1 + walk(forked.get(i), leaves));
        }
        return Math.max(deepest, forked.size());
    }

    private List<Runnable> missing(List<Runnable> leaves) {
        final List<Runnable> missing = new ArrayList<>(vertices);
        missing.removeAll(leaves);
        return missing;
    }

    @Test
    void owner_poppingTheBottom_runsOldestFirst() {
        final ArrayDeque<Runnable> deque = new ArrayDeque<>();
        final List<Runnable> order = new ArrayList<>();
        deque.addLast(ResumedVertices.of(resumed(37)));
        while (!deque.isEmpty()) {
            final Runnable bottom = deque.removeLast();
            order.add(bottom instanceof ResumedVertices tree ? tree.fork(deque::addLast) : bottom);
        }
        assertEquals(vertices, order);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 5, 64, 101})
    void thief_poppingTheTop_getsHalf(int count) {
        final ArrayDeque<Runnable> deque = new ArrayDeque<>();
        ((ResumedVertices) ResumedVertices.of(resumed(count))).fork(deque::addLast);

        assertEquals((count + 1) / 2, ((ResumedVertices) deque.removeFirst()).size());
    }

    @Test
    void oneVertex_isNoTree() {
        assertSame(vertexOf(resumed(1)), vertices.get(0));
    }

    @Test
    void noVertex_isNull() {
        assertNull(vertexOf(null));
        final Suspension taken = resumed(1);
        taken.takeNode();
        assertNull(vertexOf(taken), "somebody else took the node");
    }

    private static Runnable vertexOf(Suspension youngest) {
        return ResumedVertices.of(youngest);
    }
}
