package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Pushing, popping and stealing allocate nothing, and a suspension allocates itself only: garbage
 * would cost every node, however short. To see it fail, allocate anything in the method under test, or
 * let DequePool.takeWork make a new array each time.
 */
class AllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    static final Runnable NODE = () -> {};
    private static final int OPERATIONS = 10_000_000;
    private static final int CYCLES = 200_000;

    private final DequePool pool = new DequePool();
    private final ProwsDeque deque = new ProwsDeque();
    private final Lanes lanes = new Lanes();

    @Test
    void pushAndPopBottom_warm_allocateNothing() {
        assertEquals(0, allocatedBy(() -> pushAndPop(OPERATIONS)));
    }

    @Test
    void pushAndPopTop_warm_allocateNothing() {
        assertEquals(0, allocatedBy(() -> pushAndSteal(OPERATIONS)));
    }

    @Test
    void pushAndPop_onRecycledDeques_allocateNothing() {
        assertEquals(0, allocatedBy(() -> pushPopAndFree(CYCLES)));
    }

    @Test
    void suspendAndResume_emptyDeque_allocateTheSuspensionOnly() {
        final long bytes = allocatedBy(() -> suspendAndResume(CYCLES, false));

        System.out.println("suspending and resuming: " + bytes / CYCLES + " bytes");
        assertTrue(bytes <= 40L * CYCLES, () -> bytes + " bytes in " + CYCLES + " cycles");
    }

    @Test
    void suspendAndResume_throughTheLane_allocateOneEntryMore() {
        final long bytes = allocatedBy(() -> suspendAndResume(CYCLES, true));

        System.out.println("with the lane's entry: " + bytes / CYCLES + " bytes");
        assertTrue(bytes <= 64L * CYCLES, () -> bytes + " bytes in " + CYCLES + " cycles");
    }

    @Test
    void spawnedNode_onWarmWorker_allocatesNothing() throws Exception {
        try (var scheduler = LatencyHidingScheduler.builder()
                .name("allocation")
                .parallelism(1)
                .build()) {
            final Spawner spawner = new Spawner(scheduler);
            scheduler.execute(spawner);

            assertEquals(0, spawner.allocated.get(60, TimeUnit.SECONDS));
        }
    }

    /** Bytes that the second half of the runs allocates; the first warms up. */
    private static long allocatedBy(Runnable operations) {
        for (int i = 0; i < 3; i++) {
            measure(operations);
        }
        return measure(operations);
    }

    private static long measure(Runnable operations) {
        final long before = THREADS.getCurrentThreadAllocatedBytes();
        operations.run();
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    private void pushAndPop(int times) {
        for (int i = 0; i < times; i++) {
            deque.pushBottom(NODE, pool);
            if (deque.popBottom() != NODE) {
                throw new AssertionError(deque);
            }
        }
    }

    private void pushAndSteal(int times) {
        for (int i = 0; i < times; i++) {
            deque.pushBottom(NODE, pool);
            if (deque.popTop() != NODE) {
                throw new AssertionError(deque);
            }
        }
    }

    private void pushPopAndFree(int times) {
        for (int i = 0; i < times; i++) {
            final ProwsDeque taken = pool.take();
            taken.pushBottom(NODE, pool);
            if (taken.popBottom() != NODE) {
                throw new AssertionError(taken);
            }
            pool.free(taken);
        }
    }

    /** What worker and resumer do to an empty deque, one after the other. */
    private void suspendAndResume(int times, boolean throughLane) {
        for (int i = 0; i < times; i++) {
            deque.openSuspension();
            final Suspension suspension = Suspension.bound(null, deque);
            pool.strip(deque);
            boolean right = deque.trySuspend() && suspension.tryResume(NODE) && deque.deliver(suspension);
            if (throughLane) {
                lanes.offerWakeUp(suspension);
                right &= lanes.pollWakeUp() == suspension;
            }
            if (!right || !deque.tryClaim(DequeState.RESUMABLE) || deque.popBottom() != NODE) {
                throw new AssertionError(deque);
            }
        }
    }

    /** A node that spawns itself again and again and measures the later part of that. */
    private static final class Spawner implements Runnable {
        private static final int WARM = 500_000;
        private static final int END = 1_500_000;

        final CompletableFuture<Long> allocated = new CompletableFuture<>();
        private final LatencyHidingScheduler scheduler;
        private int runs;
        private long before;

        Spawner(LatencyHidingScheduler scheduler) {
            this.scheduler = scheduler;
        }

        @Override
        public void run() {
            runs++;
            if (runs == WARM) {
                before = THREADS.getCurrentThreadAllocatedBytes();
            } else if (runs == END) {
                allocated.complete(THREADS.getCurrentThreadAllocatedBytes() - before);
                return;
            }
            scheduler.execute(this);
        }
    }
}
