package dev.latencyhiding.benchmarks.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class NodeDequeTest {
    @Test
    void operations_random_areThoseOfAnArrayDeque() {
        Random random = new Random(1);
        NodeDeque deque = new NodeDeque();
        Deque<Integer> model = new ArrayDeque<>();
        for (int i = 0; i < 100_000; i++) {
            // Grows for a while, then shrinks for a while.
            int pushes = i / 1000 % 2 == 0 ? 6 : 3;
            int choice = random.nextInt(10);
            if (choice < pushes) {
                deque.pushBottom(i);
                model.addLast(i);
            } else if (choice % 2 == 0) {
                assertEquals(orNone(model.pollLast()), deque.popBottom());
            } else {
                assertEquals(orNone(model.pollFirst()), deque.popTop());
            }
            assertEquals(model.isEmpty(), deque.isEmpty());
        }
    }

    private static int orNone(Integer node) {
        return node == null ? Dag.NONE : node;
    }
}
