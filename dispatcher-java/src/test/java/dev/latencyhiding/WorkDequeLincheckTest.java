package dev.latencyhiding;

import java.util.ArrayDeque;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * The array deque is a linearizable deque for one owner and any number of thieves, growth included,
 * and neither side ever waits for the other. Everything above it takes for granted that a node which
 * was pushed once is taken once.
 *
 * <p>Lincheck explores sequentially consistent executions only; the fences are checked elsewhere.
 *
 * <p>Fails if in WorkDeque.takeLast {@code won} is true without casTop, if popTop returns null when
 * its casTop fails, if tryPopBottom does not look at top, if grow copies from {@code top + 1}, or if pushBottom grows at {@code >
 * array.length}.
 */
public class WorkDequeLincheckTest {
    private final WorkDeque deque = new WorkDeque(2);

    /** Pushed last, wherever it is now. */
    private Node last;

    @Operation(nonParallelGroup = "owner")
    public void pushBottom(int id) {
        last = new Node(id);
        deque.pushBottom(last);
    }

    /** What a worker does that joins its last fork. */
    @Operation(nonParallelGroup = "owner")
    public boolean tryPopLast() {
        return last != null && deque.tryPopBottom(last);
    }

    @Operation(nonParallelGroup = "owner")
    public Integer popBottom() {
        return idOf(deque.popBottom());
    }

    @Operation(nonParallelGroup = "owner")
    public Integer popOldest() {
        return idOf(deque.popOldest());
    }

    @Operation
    public Integer popTop() {
        return idOf(deque.popTop());
    }

    @Test
    void operations_modelChecked2Threads_linearizableAndObstructionFree() {
        check(modelChecking().threads(2).actorsPerThread(4));
    }

    @Test
    void operations_modelChecked3Threads_linearizableAndObstructionFree() {
        check(modelChecking().threads(3).actorsPerThread(3));
    }

    @Test
    void operations_stressed2Threads_linearizable() {
        check(stress().threads(2).actorsPerThread(4));
    }

    @Test
    void operations_stressed3Threads_linearizable() {
        check(stress().threads(3).actorsPerThread(3));
    }

    private static ModelCheckingOptions modelChecking() {
        return new ModelCheckingOptions()
                .invocationsPerIteration(Interleavings.scaled(150))
                .checkObstructionFreedom(true);
    }

    private static StressOptions stress() {
        return new StressOptions().invocationsPerIteration(Interleavings.scaled(200));
    }

    private void check(Options<?, ?> options) {
        options.iterations(6)
                .actorsBefore(3)
                .actorsAfter(3)
                .minimizeFailedScenario(false)
                .sequentialSpecification(Specification.class)
                .check(getClass());
    }

    private static Integer idOf(Runnable node) {
        return node == null ? null : ((Node) node).id;
    }

    private static final class Node implements Runnable {
        private final int id;

        Node(int id) {
            this.id = id;
        }

        @Override
        public void run() {}
    }

    /** What the deque is, said sequentially. */
    public static final class Specification {
        private final ArrayDeque<Node> nodes = new ArrayDeque<>();
        private Node last;

        public void pushBottom(int id) {
            last = new Node(id);
            nodes.addLast(last);
        }

        public boolean tryPopLast() {
            final boolean there = last != null && nodes.peekLast() == last;
            if (there) {
                nodes.removeLast();
            }
            return there;
        }

        public Integer popBottom() {
            return idOf(nodes.pollLast());
        }

        public Integer popOldest() {
            return popTop();
        }

        public Integer popTop() {
            return idOf(nodes.pollFirst());
        }
    }
}
