package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Nodes that misbehave: they throw, interrupt, or bring the scheduler's own code down. A worker must
 * live on as if nothing had happened, and the next node must not notice.
 */
@Timeout(180)
@ParameterizedClass
@EnumSource
class FaultsTest {
    @Parameter
    Policy policy;

    private LatencyHidingScheduler.Builder two() {
        return LatencyHidingScheduler.builder().parallelism(2).policy(policy);
    }

    // ---- interrupts ----

    @Test
    void interrupt_leftByNode_isNotSeenByNext() {
        final AtomicInteger leaks = new AtomicInteger();
        try (LatencyHidingScheduler scheduler = two().build()) {
            for (int i = 0; i < Await.scaled(20_000, 1_000_000); i++) {
                scheduler.execute(() -> {
                    countLeak(leaks);
                    scheduler.execute(() -> countLeak(leaks));
                    Thread.currentThread().interrupt();
                });
            }
        }
        assertEquals(0, leaks.get());
    }

    private static void countLeak(AtomicInteger leaks) {
        if (Thread.currentThread().isInterrupted()) {
            leaks.incrementAndGet();
        }
    }

    @Test
    void cancel_ofRunningFuture_interruptsItAndNoOther() {
        final AtomicInteger leaks = new AtomicInteger();
        final AtomicInteger interrupted = new AtomicInteger();
        try (LatencyHidingScheduler scheduler = two().build()) {
            for (int i = 0; i < Await.scaled(300, 10_000); i++) {
                cancelOne(scheduler, leaks, interrupted);
            }
        }
        assertEquals(0, leaks.get());
        assertEquals(Await.scaled(300, 10_000), interrupted.get());
    }

    private static void cancelOne(LatencyHidingScheduler scheduler, AtomicInteger leaks, AtomicInteger interrupted) {
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch ended = new CountDownLatch(1);
        final Future<?> future = scheduler.submit(() -> {
            countLeak(leaks);
            scheduler.execute(() -> countLeak(leaks));
            started.countDown();
            try {
                new CountDownLatch(1).await(Await.DEADLINE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                interrupted.incrementAndGet();
                Thread.currentThread().interrupt(); // as careless code does
            } finally {
                ended.countDown();
            }
        });
        Await.latch(started);
        scheduler.execute(() -> countLeak(leaks));
        future.cancel(true);
        Await.latch(ended);
    }

    @Test
    void interrupt_ofSleepingWorker_isIgnored() {
        final AtomicBoolean leaked = new AtomicBoolean();
        final CountDownLatch ran = new CountDownLatch(1);
        try (LatencyHidingScheduler scheduler = two().build()) {
            Await.allAsleep(scheduler);
            for (Worker worker : scheduler.core().workers.all()) {
                worker.thread().interrupt();
            }
            scheduler.execute(() -> {
                leaked.set(Thread.currentThread().isInterrupted());
                ran.countDown();
            });
            Await.latch(ran);
            Await.allAsleep(scheduler);
        }
        assertFalse(leaked.get());
    }

    // ---- exceptions ----

    @Test
    void throwingNodes_reachHandlerAndKillNobody() {
        final AtomicInteger handled = new AtomicInteger();
        final Set<Thread> handlers = ConcurrentHashMap.newKeySet();
        try (LatencyHidingScheduler scheduler = two().uncaughtExceptionHandler((thread, error) -> {
                    handlers.add(thread);
                    handled.incrementAndGet();
                })
                .build()) {
            Await.allAsleep(scheduler);
            final Set<Thread> before = threadsOf(scheduler);
            for (int i = 0; i < 1000; i++) {
                final Throwable error = errorNumber(i);
                scheduler.execute(() -> FaultsTest.<RuntimeException>sneakyThrow(error));
            }
            Await.until("1000 handled", () -> handled.get() == 1000);
            Await.allAsleep(scheduler);
            assertEquals(before, threadsOf(scheduler));
            assertTrue(before.containsAll(handlers), "handlers run on the workers");
            assertEquals(1000, scheduler.stats().nodesFailed());
        }
        assertEquals(1000, handled.get());
    }

    private static Set<Thread> threadsOf(LatencyHidingScheduler scheduler) {
        final Set<Thread> threads = ConcurrentHashMap.newKeySet();
        for (Worker worker : scheduler.core().workers.all()) {
            assertTrue(worker.thread().isAlive(), worker.toString());
            threads.add(worker.thread());
        }
        return threads;
    }

    private static Throwable errorNumber(int number) {
        return switch (number % 6) {
            case 0 -> new IllegalStateException("expected");
            case 1 -> new NoClassDefFoundError("expected");
            case 2 -> new StackOverflowError("expected");
            case 3 -> new OutOfMemoryError("expected");
            case 4 -> new AssertionError("expected");
            default -> new Exception("a checked one, thrown all the same");
        };
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> void sneakyThrow(Throwable error) throws E {
        throw (E) error;
    }

    @Test
    void stackOverflow_inNode_leavesWorkerIntact() {
        final AtomicReference<Throwable> seen = new AtomicReference<>();
        try (LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
                .parallelism(1)
                .policy(policy)
                .uncaughtExceptionHandler((thread, error) -> seen.set(error))
                .build()) {
            scheduler.execute(() -> endlessly(1));
            Await.until("handled", () -> seen.get() != null);
            Await.allAsleep(scheduler);
            assertEquals(1, threadsOf(scheduler).size());
        }
        assertSame(StackOverflowError.class, seen.get().getClass());
    }

    private static int endlessly(int depth) {
        return depth == 0 ? 0 : 1 + endlessly(depth + 1);
    }

    @Test
    void handler_thatThrows_isIgnored() {
        final AtomicInteger ran = new AtomicInteger();
        final LatencyHidingScheduler scheduler = two().uncaughtExceptionHandler((thread, error) -> {
                    throw new IllegalStateException("of the handler", error);
                })
                .build();
        for (int i = 0; i < 100; i++) {
            scheduler.execute(() -> {
                scheduler.execute(ran::incrementAndGet);
                throw new IllegalStateException("of the node");
            });
        }
        scheduler.close();
        assertEquals(100, scheduler.stats().nodesFailed());
        assertEquals(200, scheduler.stats().nodesRun());
        assertEquals(100, ran.get());
    }

    @Test
    void node_thatThrowsAfterOpening_isResumedAllTheSame() {
        assumeFalse(policy == Policy.CLASSIC, "two workers cannot wait for a hundred");
        final AtomicInteger ran = new AtomicInteger();
        final ConcurrentLinkedQueue<Suspension> open = new ConcurrentLinkedQueue<>();
        final LatencyHidingScheduler scheduler =
                two().uncaughtExceptionHandler((thread, error) -> {}).build();
        for (int i = 0; i < 100; i++) {
            scheduler.execute(() -> {
                scheduler.execute(ran::incrementAndGet);
                open.add(Suspension.open());
                throw new IllegalStateException("expected");
            });
        }
        Await.until("all spawned ran", () -> ran.get() == 100);
        Await.allAsleep(scheduler);
        assertEquals(100, scheduler.stats().suspendedDeques());
        open.forEach(suspension -> suspension.resume(ran::incrementAndGet));
        scheduler.close();
        SchedulerInspector.assertQuiescent(scheduler);
        assertEquals(200, ran.get());
    }

    // ---- threads that die ----

    /** A gate whose park throws once it is told to: an error in the scheduler's own code. */
    private static final class BreakingGate implements Gate {
        static final AtomicInteger breaks = new AtomicInteger();
        private final Gate gate = new Gate.OfThread();

        @Override
        public void park() {
            if (breaks.get() > 0 && breaks.getAndDecrement() > 0) {
                throw new ExpectedError();
            }
            gate.park();
        }

        @Override
        public void parkNanos(long nanos) {
            gate.parkNanos(nanos);
        }

        @Override
        public void unpark() {
            gate.unpark();
        }
    }

    private static final class ExpectedError extends Error {
        private static final long serialVersionUID = 1;
    }

    @Test
    void worker_whoseThreadDies_isReplacedAndLosesNothing() {
        for (int parallelism = 1; parallelism <= 3; parallelism++) {
            replaceDeadThread(parallelism);
        }
    }

    private void replaceDeadThread(int parallelism) {
        final AtomicInteger died = new AtomicInteger();
        final AtomicInteger ran = new AtomicInteger();
        BreakingGate.breaks.set(0);
        final LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
                .parallelism(parallelism)
                .policy(policy)
                .gates(BreakingGate::new)
                .uncaughtExceptionHandler((thread, error) -> died.incrementAndGet())
                .build();
        Await.allAsleep(scheduler);
        final Thread first = scheduler.core().workers.all()[0].thread();
        for (int i = 1; i <= 20; i++) {
            BreakingGate.breaks.set(1);
            final int deaths = i;
            Await.until("death number " + i, () -> {
                scheduler.execute(ran::incrementAndGet);
                return died.get() == deaths;
            });
            final int before = ran.get();
            scheduler.execute(ran::incrementAndGet);
            Await.until("work goes on after death " + i, () -> ran.get() > before);
        }
        final Thread closer = Await.thread(scheduler::close);
        Await.until("end of " + SchedulerInspector.describe(scheduler), () -> !closer.isAlive());
        assertEquals(scheduler.stats().nodesRun(), ran.get());
        if (parallelism == 1) {
            assertNotSame(first, scheduler.core().workers.all()[0].thread());
        }
    }
}
