package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random trees of {@code invoke}, several at a time, in which leaves compute, throw, hand in nodes, open
 * suspensions or block. Every leaf runs once, every exception is kept, no leaf runs inside a tree it is not
 * part of, and nothing is left in the end. A failure names its seed.
 */
@ParameterizedClass
@EnumSource
@Timeout(600)
class ForkJoinStressTest {
    @Parameter
    Policy policy;

    /** The tree in whose invoke the current thread is. */
    private static final ThreadLocal<Tree> INSIDE = new ThreadLocal<>();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void randomTrees_runEveryLeafOnce_andKeepEveryException(int parallelism) throws Exception {
        final int rounds = Await.scaled(30, 3_000);
        for (int round = 0; round < rounds; round++) {
            final long seed = System.nanoTime();
            try (LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
                    .name("trees")
                    .policy(policy)
                    .parallelism(parallelism)
                    .build()) {
                run(scheduler, new SplittableRandom(seed));
                scheduler.shutdown();
                assertTrue(scheduler.awaitTermination(60, TimeUnit.SECONDS), () -> "hangs: " + scheduler.stats());
                SchedulerInspector.assertQuiescent(scheduler);
            } catch (Throwable failure) {
                throw new AssertionError("seed " + seed + "L, " + policy + ", parallelism " + parallelism, failure);
            }
        }
    }

    private static void run(LatencyHidingScheduler scheduler, SplittableRandom random) throws Exception {
        final Tree[] trees = new Tree[random.nextInt(1, 4)];
        final LatencyHidingFuture<?>[] ends = new LatencyHidingFuture<?>[trees.length];
        for (int i = 0; i < trees.length; i++) {
            trees[i] = new Tree(scheduler, random.split());
            ends[i] = scheduler.supply(trees[i]::run);
        }
        for (LatencyHidingFuture<?> end : ends) {
            end.get(60, TimeUnit.SECONDS);
        }
        for (Tree tree : trees) {
            tree.check();
        }
    }

    private static final class Tree {
        private final LatencyHidingScheduler scheduler;
        private final int leaves;
        private final int oneInThrows;
        private final AtomicInteger ran = new AtomicInteger();
        private final AtomicInteger spawned = new AtomicInteger();
        private final AtomicInteger spawnedRan = new AtomicInteger();
        private final Set<Throwable> thrown = ConcurrentHashMap.newKeySet();
        private final Set<String> complaints = ConcurrentHashMap.newKeySet();
        private final SplittableRandom random;
        private Throwable caught;

        Tree(LatencyHidingScheduler scheduler, SplittableRandom random) {
            this.scheduler = scheduler;
            this.leaves = random.nextInt(1, 2_000);
            this.oneInThrows = random.nextBoolean() ? Integer.MAX_VALUE : random.nextInt(1, 200);
            this.random = random;
        }

        Object run() {
            try {
                fork(leaves, random);
            } catch (Throwable error) {
                caught = error;
            }
            return this;
        }

        private void fork(int count, SplittableRandom random) {
            final Tree outer = INSIDE.get();
            if (outer != null && outer != this) {
                complaints.add("a part of one tree runs inside another");
            }
            INSIDE.set(this);
            try {
                if (count == 1) {
                    leaf(random);
                } else if (random.nextInt(8) == 0) {
                    final Runnable[] nodes = new Runnable[count];
                    for (int i = 0; i < count; i++) {
                        final SplittableRandom own = random.split();
                        nodes[i] = () -> fork(1, own);
                    }
                    scheduler.invokeAll(nodes);
                } else {
                    final int left = random.nextInt(1, count);
                    final SplittableRandom ofLeft = random.split();
                    final SplittableRandom ofRight = random.split();
                    scheduler.invoke(() -> fork(left, ofLeft), () -> fork(count - left, ofRight));
                }
            } finally {
                INSIDE.set(outer);
            }
        }

        private void leaf(SplittableRandom random) {
            ran.incrementAndGet();
            for (int spins = random.nextInt(2_000); spins > 0; spins--) {
                Thread.onSpinWait();
            }
            switch (random.nextInt(30)) {
                case 0 -> spawn();
                case 1 -> suspend(random);
                case 2 -> LockSupport.parkNanos(random.nextInt(200_000));
                default -> {}
            }
            if (random.nextInt(oneInThrows) == 0) {
                final RuntimeException error = new IllegalStateException("leaf");
                thrown.add(error);
                throw error;
            }
        }

        private void spawn() {
            spawned.incrementAndGet();
            scheduler.execute(this::spawnedNode);
        }

        private void spawnedNode() {
            if (INSIDE.get() != null) {
                complaints.add("a spawned node runs inside a tree");
            }
            spawnedRan.incrementAndGet();
        }

        private void suspend(SplittableRandom random) {
            spawned.incrementAndGet();
            final Suspension suspension = Suspension.open();
            final Runnable resume = () -> suspension.resume(this::spawnedNode);
            if (random.nextBoolean()) {
                resume.run();
            } else {
                scheduler.after(random.nextInt(1000), TimeUnit.MICROSECONDS, resume);
            }
        }

        void check() {
            assertEquals(leaves, ran.get());
            assertEquals(thrown, thrownIn(caught, Collections.newSetFromMap(new IdentityHashMap<>())));
            assertEquals(Set.of(), complaints);
            Await.until("spawned and resumed nodes", () -> spawned.get() == spawnedRan.get());
        }

        private static Set<Throwable> thrownIn(Throwable error, Set<Throwable> found) {
            if (error != null) {
                found.add(error);
                for (Throwable suppressed : error.getSuppressed()) {
                    thrownIn(suppressed, found);
                }
            }
            return new HashSet<>(found);
        }
    }
}
