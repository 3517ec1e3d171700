package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The end of a scheduler: what was accepted is finished, what comes later is refused loudly, and
 * nothing stays behind, neither a thread nor a class loader. {@link LifeCycleRaceTest} has the races.
 */
@Timeout(180)
@ParameterizedClass
@EnumSource
class LifeCycleTest {
    private final String name = Await.uniqueName("end");
    private final Policy policy;
    private final LatencyHidingScheduler scheduler;
    private final AtomicInteger ran = new AtomicInteger();

    LifeCycleTest(Policy policy) {
        this.policy = policy;
        this.scheduler = LatencyHidingScheduler.builder()
                .name(name)
                .parallelism(2)
                .policy(policy)
                .build();
    }

    private void assertRejected(Executable call) {
        final String message =
                assertThrows(RejectedExecutionException.class, call).getMessage();
        assertTrue(message.contains("\"" + name + "\""), message);
    }

    private void assertAllGone() {
        assertTrue(scheduler.isShutdown());
        assertTrue(scheduler.isTerminated());
        Await.until("threads gone", () -> Await.threadsNamed(name) == 0);
    }

    // ---- close finishes what was accepted ----

    @Test
    void close_withQueuedAndSpawnedNodes_runsThemAll() {
        for (int i = 0; i < 1000; i++) {
            scheduler.execute(() -> {
                ran.incrementAndGet();
                scheduler.execute(() -> {
                    ran.incrementAndGet();
                    scheduler.executeFairly(ran::incrementAndGet);
                });
            });
        }
        scheduler.close();
        assertEquals(3000, ran.get());
        SchedulerInspector.assertQuiescent(scheduler);
        assertAllGone();
    }

    @Test
    void close_withOpenSuspension_waitsForItsNode() throws Exception {
        final Suspension bound = Await.onWorker(scheduler, Suspension::open);
        final Suspension detached = Suspension.open(scheduler);
        final Thread closer = Await.thread(scheduler::close);
        Await.until("shut down", scheduler::isShutdown);
        assertFalse(scheduler.awaitTermination(50, TimeUnit.MILLISECONDS));
        assertTrue(bound.resume(() -> scheduler.execute(ran::incrementAndGet)));
        assertFalse(scheduler.awaitTermination(50, TimeUnit.MILLISECONDS));
        assertTrue(detached.resume(ran::incrementAndGet));
        Await.ended(closer);
        assertEquals(2, ran.get());
        assertAllGone();
    }

    @Test
    void close_withReleasedSuspension_doesNotWait() throws Exception {
        final Suspension suspension = Await.onWorker(scheduler, Suspension::open);
        final Thread closer = Await.thread(scheduler::close);
        Await.until("shut down", scheduler::isShutdown);
        suspension.release();
        Await.ended(closer);
        assertAllGone();
    }

    @Test
    void close_ofUnusedScheduler_ends() {
        scheduler.close();
        assertAllGone();
        assertEquals(0, scheduler.stats().nodesRun());
    }

    // ---- refusal ----

    @Test
    void execute_afterShutdown_isRefusedByName() throws Exception {
        final CountDownLatch end = new CountDownLatch(1);
        scheduler.execute(() -> Await.latch(end));
        scheduler.shutdown();
        assertRejected(() -> scheduler.execute(ran::incrementAndGet));
        assertRejected(() -> scheduler.executeFairly(ran::incrementAndGet));
        assertRejected(() -> scheduler.submit(ran::incrementAndGet));
        assertRejected(() -> Suspension.open(scheduler));
        end.countDown();
        assertTrue(scheduler.awaitTermination(Await.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertRejected(() -> scheduler.execute(ran::incrementAndGet));
        assertEquals(0, ran.get());
        assertAllGone();
    }

    @Test
    void workers_afterShutdown_maySpawnYieldAndSuspend() {
        final CountDownLatch wasShutDown = new CountDownLatch(1);
        scheduler.execute(() -> {
            Await.latch(wasShutDown);
            scheduler.execute(ran::incrementAndGet);
            scheduler.executeFairly(ran::incrementAndGet);
            final Suspension suspension = Suspension.open();
            Await.thread(() -> suspension.resume(() -> scheduler.execute(ran::incrementAndGet)));
        });
        scheduler.shutdown();
        wasShutDown.countDown();
        scheduler.close();
        assertEquals(3, ran.get());
    }

    // ---- close, called in odd ways ----

    @Test
    void close_onWorker_doesNotWaitForItself() {
        final AtomicBoolean returned = new AtomicBoolean();
        scheduler.execute(() -> {
            scheduler.close();
            returned.set(true);
            scheduler.execute(ran::incrementAndGet);
        });
        Await.until("terminated", scheduler::isTerminated);
        assertTrue(returned.get());
        assertEquals(1, ran.get());
        assertAllGone();
    }

    @Test
    void close_twiceAndByMany_ends() {
        scheduler.execute(ran::incrementAndGet);
        final List<Thread> closers =
                List.of(Await.thread(scheduler::close), Await.thread(scheduler::close), Await.thread(scheduler::close));
        closers.forEach(Await::ended);
        scheduler.close();
        scheduler.shutdown();
        assertEquals(List.of(), scheduler.shutdownNow());
        assertEquals(1, ran.get());
        assertAllGone();
    }

    @Test
    void close_interrupted_interruptsNodesAndStaysInterrupted() {
        final CountDownLatch started = new CountDownLatch(1);
        final AtomicBoolean closerInterrupted = new AtomicBoolean();
        scheduler.execute(() -> {
            started.countDown();
            awaitInterrupt();
            ran.incrementAndGet();
        });
        Await.latch(started);
        final Thread closer = Await.thread(() -> {
            scheduler.close();
            closerInterrupted.set(Thread.currentThread().isInterrupted());
        });
        Await.until("shut down", scheduler::isShutdown);
        closer.interrupt();
        Await.ended(closer);
        assertEquals(1, ran.get());
        assertTrue(closerInterrupted.get());
        assertAllGone();
    }

    private static void awaitInterrupt() {
        try {
            new CountDownLatch(1).await(Await.DEADLINE_SECONDS, TimeUnit.SECONDS);
            throw new AssertionError("not interrupted");
        } catch (InterruptedException expected) {
            // as it should be
        }
    }

    // ---- shutdownNow ----

    @Test
    void shutdownAbandoningSuspensions_nodesThatGoOnForEver_areRefusedAndEnd() {
        final LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
                .parallelism(2)
                .policy(policy)
                .uncaughtExceptionHandler((thread, error) -> {})
                .build();
        final CountDownLatch running = new CountDownLatch(100);
        for (int i = 0; i < 4; i++) {
            final boolean fairly = i % 2 == 0;
            scheduler.execute(new Runnable() {
                @Override
                public void run() {
                    running.countDown();
                    if (fairly) {
                        scheduler.executeFairly(this);
                    } else {
                        scheduler.execute(this);
                    }
                }
            });
        }
        Await.latch(running);

        scheduler.shutdownAbandoningSuspensions();

        Await.until("termination", scheduler::isTerminated);
        assertEquals(4, scheduler.stats().nodesFailed());
    }

    @Test
    void shutdownNow_interruptsRunningNodesAndRunsQueuedOnes() throws Exception {
        final CountDownLatch started = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            scheduler.execute(() -> {
                started.countDown();
                awaitInterrupt();
                ran.incrementAndGet();
            });
        }
        Await.latch(started);
        final AtomicBoolean leaked = new AtomicBoolean();
        for (int i = 0; i < 10; i++) {
            scheduler.execute(() -> {
                leaked.compareAndSet(false, Thread.currentThread().isInterrupted());
                ran.incrementAndGet();
            });
        }
        assertEquals(List.of(), scheduler.shutdownNow());
        assertTrue(scheduler.awaitTermination(Await.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertEquals(12, ran.get());
        assertFalse(leaked.get(), "the interrupt was for the running nodes");
        assertAllGone();
    }

    @Test
    void resume_afterShutdownNow_isRefusedAndChangesNothing() throws Exception {
        final Suspension suspension = Await.onWorker(scheduler, Suspension::open);
        scheduler.shutdownNow();
        assertTrue(scheduler.awaitTermination(Await.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertRejected(() -> suspension.resume(ran::incrementAndGet));
        assertTrue(suspension.isOpen());
        assertTrue(suspension.release());
        assertFalse(suspension.resume(ran::incrementAndGet));
        assertEquals(0, ran.get());
        assertAllGone();
    }

    @Test
    void awaitTermination_whileOpen_timesOut() throws Exception {
        assertFalse(scheduler.awaitTermination(0, TimeUnit.NANOSECONDS));
        assertFalse(scheduler.awaitTermination(1, TimeUnit.MILLISECONDS));
        assertFalse(scheduler.isShutdown());
        assertFalse(scheduler.isTerminated());
        scheduler.close();
        assertTrue(scheduler.awaitTermination(0, TimeUnit.NANOSECONDS));
    }

    /** A watchdog that was slow to act adds a spare worker to a scheduler which has terminated meanwhile. */
    @Test
    void spareWorker_addedAfterTermination_ends() {
        scheduler.close();
        scheduler.core().addSpareWorker();
        Await.until("spare worker gone", () -> Await.threadsNamed(name) == 0);
    }

    // ---- nothing stays behind ----

    @Test
    void classLoader_ofClosedScheduler_isCollected() throws Exception {
        final WeakReference<ClassLoader> loader = runInLoaderOfItsOwn();
        Await.until("class loader collected", () -> {
            System.gc();
            return loader.get() == null;
        });
    }

    private static WeakReference<ClassLoader> runInLoaderOfItsOwn() throws Exception {
        final URL classes = LatencyHidingScheduler.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader())) {
            final Class<?> type = loader.loadClass(LatencyHidingScheduler.class.getName());
            assertTrue(type.getClassLoader() == loader, "loaded in the loader of its own");
            final Object builder = type.getMethod("builder").invoke(null);
            final ExecutorService isolated =
                    (ExecutorService) builder.getClass().getMethod("build").invoke(builder);
            final AtomicReference<Thread> thread = new AtomicReference<>();
            isolated.submit(() -> thread.set(Thread.currentThread())).get();
            assertTrue(thread.get().getClass().getClassLoader() == loader);
            resumeOnThisThread(loader.loadClass(Suspension.class.getName()), type, isolated);
            ((AutoCloseable) isolated).close();
            return new WeakReference<>(loader);
        }
    }

    /** This thread outlives the scheduler, and what it carries meanwhile is in a thread local. */
    private static void resumeOnThisThread(Class<?> type, Class<?> schedulerType, ExecutorService scheduler)
            throws Exception {
        final CountDownLatch resumed = new CountDownLatch(1);
        final Object suspension = type.getMethod("open", schedulerType).invoke(null, scheduler);
        final Runnable completion = () -> scheduler.execute(resumed::countDown);
        assertEquals(true, type.getMethod("resumeBy", Runnable.class).invoke(suspension, completion));
        assertTrue(resumed.await(10, TimeUnit.SECONDS));
    }
}
