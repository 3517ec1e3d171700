package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A scheduler with nothing to do costs no CPU time and keeps nothing alive that its nodes held. To see
 * it fail, let Watchdog.run skip the call of sleep, or remove the calls of
 * clearStolen from WorkDeque.popBottom and DequePool.strip.
 */
class IdleCpuTest {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int PARALLELISM = 2;
    private static final long MEASURED_SECONDS = 2;
    private static final long MAX_NANOS_PER_SECOND = 1_000_000;

    private final LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
            .name("idle-cpu")
            .parallelism(PARALLELISM)
            .build();

    @AfterEach
    void close() {
        scheduler.shutdownNow(); // not close: a test that failed may have left a suspension open
    }

    @Test
    void idleScheduler_afterWork_usesNoCpuTime() throws Exception {
        final CountDownLatch done = new CountDownLatch(10_000);
        for (int i = 0; i < 5_000; i++) {
            scheduler.execute(() -> {
                scheduler.execute(done::countDown);
                done.countDown();
            });
        }
        assertTrue(done.await(60, TimeUnit.SECONDS));
        final List<Thread> threads = threads();
        assertTrue(threads.size() > PARALLELISM, threads::toString); // the watchdog, too
        awaitAsleep();

        final long before = cpuNanos(threads);
        pauseFor(TimeUnit.SECONDS.toNanos(MEASURED_SECONDS));
        final long used = cpuNanos(threads) - before;

        System.out.println("an idle scheduler: " + used / 1000 / MEASURED_SECONDS + " µs of CPU time a second");
        assertTrue(used < MAX_NANOS_PER_SECOND * MEASURED_SECONDS, () -> used + " ns: " + scheduler.stats());
    }

    @Test
    void finishedNode_fromOutside_isNotKept() {
        final WeakReference<Object> captured = run(payload -> scheduler.execute(() -> use(payload)));

        awaitCleared(captured);
    }

    @Test
    void finishedNode_resumed_isNotKept() {
        final CompletableFuture<Suspension> opened = new CompletableFuture<>();
        scheduler.execute(() -> opened.complete(Suspension.open()));

        final WeakReference<Object> captured = run(payload -> opened.join().resume(() -> use(payload)));

        awaitCleared(captured);
        assertFalse(opened.join().isOpen()); // the suspension itself is still held
    }

    @Test
    void finishedNode_resumedDetached_isNotKept() {
        final Suspension detached = Suspension.open(scheduler);

        final WeakReference<Object> captured = run(payload -> detached.resume(() -> use(payload)));

        awaitCleared(captured);
        assertFalse(detached.isOpen()); // the suspension itself is still held
    }

    @Test
    void finishedNode_stolenFromActiveDeque_isNotKept() {
        final CompletableFuture<Thread> thief = new CompletableFuture<>();
        final CompletableFuture<Thread> owner = new CompletableFuture<>();

        final WeakReference<Object> captured = run(payload -> scheduler.execute(() -> {
            scheduler.execute(() -> {
                use(payload);
                thief.complete(Thread.currentThread());
            });
            thief.join(); // so that this worker cannot run it
            owner.complete(Thread.currentThread());
        }));

        assertNotSame(owner.join(), thief.join());
        awaitCleared(captured);
    }

    @Test
    void finishedNode_stolenFromSuspendedDeque_isNotKept() {
        final CompletableFuture<Suspension> opened = new CompletableFuture<>();

        final WeakReference<Object> captured = run(payload -> scheduler.execute(() -> {
            scheduler.execute(() -> use(payload));
            opened.complete(Suspension.open());
        }));

        awaitCleared(captured);
        assertTrue(opened.join().release());
    }

    @Test
    void finishedNode_spawnedAndPopped_isNotKept() {
        final WeakReference<Object> captured =
                run(payload -> scheduler.execute(() -> scheduler.execute(() -> use(payload))));

        awaitCleared(captured);
    }

    private interface Body {
        void start(Object payload);
    }

    private final CountDownLatch used = new CountDownLatch(1);

    private void use(Object payload) {
        assertTrue(payload.hashCode() != 1);
        used.countDown();
    }

    private WeakReference<Object> run(Body body) {
        final Object payload = new Object[] {"captured"};
        body.start(payload);
        try {
            assertTrue(used.await(60, TimeUnit.SECONDS), () -> "the node did not run: " + scheduler.stats());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return new WeakReference<>(payload);
    }

    private void awaitCleared(WeakReference<Object> captured) {
        awaitAsleep();
        await("the node is still reachable", () -> {
            System.gc();
            return captured.get() == null;
        });
    }

    /** Until every thread waits without a time limit, the watchdog too. */
    private void awaitAsleep() {
        await(
                "not asleep",
                () -> scheduler.stats().sleepingWorkers() == scheduler.stats().workers()
                        && threads().stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
    }

    private void await(String failure, BooleanSupplier condition) {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, () -> failure + ": " + threads() + " " + scheduler.stats());
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static void pauseFor(long nanos) {
        final long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(scheduler.name() + "-"))
                .toList();
    }

    @SuppressWarnings("deprecation") // Thread.threadId() came after 17
    private static long cpuNanos(List<Thread> threads) {
        return threads.stream()
                .mapToLong(thread -> THREADS.getThreadCpuTime(thread.getId()))
                .sum();
    }
}
