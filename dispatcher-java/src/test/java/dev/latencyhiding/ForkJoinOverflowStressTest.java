package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The stack ends anywhere: in the midst of a push, a pop or a join, while others steal. Whatever the place,
 * {@code invoke} ends after both its sides, no node is lost, none runs twice, and the workers go on.
 *
 * <p>Seen to fail, in the interpreter: when IdleWorkers.wakeOne requires no stack.
 */
@ParameterizedClass
@EnumSource
@Timeout(600)
class ForkJoinOverflowStressTest {
    @Parameter
    Policy policy;

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void overflow_anywhere_losesNothing(int parallelism) throws Exception {
        final long seed = System.nanoTime();
        final SplittableRandom random = new SplittableRandom(seed);
        try (LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
                .name("overflow")
                .policy(policy)
                .parallelism(parallelism)
                .build()) {
            // A class whose initialiser meets the end of the stack is lost for ever: load them all.
            Await.onWorker(scheduler, () -> ForkJoinTrees.sum(scheduler, 1 << 12));
            final int rounds = Await.scaled(5, 2_000);
            for (int round = 0; round < rounds; round++) {
                final Descent descent = new Descent(scheduler, random.split());
                Await.onWorker(scheduler, descent::descend);
                descent.check();
            }
            scheduler.shutdown();
            assertTrue(scheduler.awaitTermination(60, TimeUnit.SECONDS), () -> SchedulerInspector.describe(scheduler));
            SchedulerInspector.assertQuiescent(scheduler);
            assertEquals(0, scheduler.stats().nodesFailed());
        } catch (Throwable failure) {
            throw new AssertionError("seed " + seed + "L, " + policy + ", parallelism " + parallelism, failure);
        }
    }

    /** Down to the end of the stack, then up again, with a few forks in every frame until they all succeed. */
    private static final class Descent {
        private static final int FORKS_PER_FRAME = 10;
        private static final int FORKS = 2_000;

        private final LatencyHidingScheduler scheduler;
        private final Side[] lefts = new Side[FORKS];
        private final Side[] rights = new Side[FORKS];
        private final Node[] nodes = new Node[FORKS];
        private int forks;
        private int failed;
        private boolean late;

        Descent(LatencyHidingScheduler scheduler, SplittableRandom random) {
            this.scheduler = scheduler;
            final int maxSpins = random.nextInt(1, 300);
            for (int i = 0; i < FORKS; i++) {
                lefts[i] = new Side(random.nextInt(maxSpins));
                rights[i] = new Side(random.nextInt(maxSpins));
                nodes[i] = new Node();
            }
        }

        Void descend() {
            for (int i = 1; i < scheduler.parallelism(); i++) {
                scheduler.execute(() -> {}); // wakes the thieves
            }
            descend(0);
            return null;
        }

        /** Frames that are smaller than those of invoke. */
        @SuppressWarnings("InfiniteRecursion") // that is the point
        private long descend(long depth) {
            long deepest = depth;
            try {
                deepest = descend(depth + 1);
            } catch (StackOverflowError end) {
                failed++;
            }
            final int before = failed;
            for (int i = 0; i < FORKS_PER_FRAME && forks < FORKS; i++) {
                try {
                    fork();
                } catch (StackOverflowError end) {
                    failed++;
                }
            }
            if (failed == before) {
                forks = FORKS; // there is room enough from here on
            }
            return deepest;
        }

        private void fork() {
            final int number = forks++;
            final Side left = lefts[number];
            final Side right = rights[number];
            try {
                scheduler.invoke(left, right);
                if (number % 4 == 0) {
                    final Node node = nodes[number];
                    scheduler.execute(node);
                    node.accepted = true;
                }
            } finally { // without a call: there may be no room for one
                late |= left.began != left.ended || right.began != right.ended;
            }
        }

        void check() {
            final List<String> wrong = new ArrayList<>();
            if (late) {
                wrong.add("invoke has ended before one of its sides");
            }
            for (int i = 0; i < FORKS; i++) {
                if (lefts[i].began > 1 || rights[i].began > 1) {
                    wrong.add("a side has run twice");
                }
                final Node node = nodes[i];
                if (node.accepted) {
                    Await.until("an accepted node runs", () -> node.runs.get() > 0);
                }
                if (node.runs.get() > 1) {
                    wrong.add("a node has run twice");
                }
            }
            assertEquals(List.of(), wrong);
        }
    }

    /** One side of an invoke. */
    private static final class Side implements Runnable {
        private final int spins;
        volatile int began;
        volatile int ended;

        Side(int spins) {
            this.spins = spins;
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // it should run once, by one thread
        public void run() {
            began++;
            for (int i = 0; i < spins && ended == 0; i++) {} // without a call
            ended++;
        }
    }

    /** What is handed in beside the forks. */
    private static final class Node implements Runnable {
        final AtomicInteger runs = new AtomicInteger();
        boolean accepted;

        @Override
        public void run() {
            runs.incrementAndGet();
        }
    }
}
