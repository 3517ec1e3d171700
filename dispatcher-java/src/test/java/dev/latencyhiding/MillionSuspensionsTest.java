package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A million nodes wait at the same time, on two workers, and come back from foreign threads: each
 * runs exactly once, and the memory is given back while the scheduler lives on. Waiting is meant to
 * cost bytes, not threads. To see it fail, keep each Suspension in a list in SchedulerCore.resume, or
 * skip lanes.offerWakeUp there for one in a million.
 */
class MillionSuspensionsTest {
    private static final int NODES = 1_000_000;
    private static final long DEADLINE_SECONDS = 120;
    private static final long TOLERANCE = 5L << 20;

    private final Suspension[] suspensions = new Suspension[NODES];
    private final AtomicIntegerArray runs = new AtomicIntegerArray(NODES);
    private final CountDownLatch resumed = new CountDownLatch(NODES);

    @ParameterizedTest
    @CsvSource({"PROWS_R, 1", "PROWS_R, 2", "LHWS, 2"})
    void suspend_aMillionNodes_eachIsResumedOnce(Policy policy, int resumers) throws Exception {
        try (var scheduler = LatencyHidingScheduler.builder()
                .name("million")
                .parallelism(2)
                .policy(policy)
                .build()) {
            final long start = usedHeap();
            suspendAll(scheduler);
            final long suspended = usedHeap();
            System.out.println("a suspended node: " + (suspended - start) / NODES + " bytes");

            resumeAll(resumers);

            assertTrue(resumed.await(DEADLINE_SECONDS, TimeUnit.SECONDS), scheduler::toString);
            await(() -> scheduler.stats().sleepingWorkers() == 2, scheduler);
            assertEachRanOnce();
            assertNothingLeft(scheduler.stats());
            Arrays.fill(suspensions, null);
            final long end = usedHeap();
            assertTrue(end - start <= TOLERANCE, () -> "the heap grew by " + (end - start) + " bytes");
        }
    }

    private void suspendAll(LatencyHidingScheduler scheduler) {
        for (int i = 0; i < NODES; i++) {
            final int node = i;
            scheduler.execute(() -> suspensions[node] = Suspension.open());
        }
        await(() -> scheduler.stats().suspendedDeques() == NODES, scheduler);
        assertEquals(NODES, scheduler.stats().openSuspensions());
        await(() -> scheduler.stats().sleepingWorkers() == 2, scheduler);
    }

    private void resumeAll(int resumers) throws InterruptedException {
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < resumers; i++) {
            final int first = i;
            final Thread thread = new Thread(() -> resumeEvery(resumers, first), "resumer-" + i);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void resumeEvery(int step, int first) {
        for (int i = first; i < NODES; i += step) {
            final int node = i;
            suspensions[i].resume(() -> {
                runs.incrementAndGet(node);
                resumed.countDown();
            });
        }
    }

    private void assertEachRanOnce() {
        for (int i = 0; i < NODES; i++) {
            final int node = i;
            assertEquals(1, runs.get(i), () -> "runs of node " + node);
        }
    }

    private static void assertNothingLeft(SchedulerStats stats) {
        assertEquals(0, stats.suspendedDeques(), stats::toString);
        assertEquals(0, stats.resumableDeques(), stats::toString);
        assertEquals(0, stats.muggableDeques(), stats::toString);
        assertEquals(0, stats.openSuspensions(), stats::toString);
        assertEquals(NODES, stats.resumes(), stats::toString);
        assertEquals(2L * NODES, stats.nodesRun(), stats::toString);
    }

    private static void await(BooleanSupplier condition, LatencyHidingScheduler scheduler) {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, () -> "waited in vain: " + scheduler.stats());
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** After collecting until that changes nothing any more, or for ten seconds. */
    private static long usedHeap() {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        long used = collect();
        for (long before = Long.MAX_VALUE; before - used > 100_000 && System.nanoTime() < deadline; ) {
            before = used;
            used = Math.min(used, collect());
        }
        return used;
    }

    private static long collect() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
