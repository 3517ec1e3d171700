package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A {@link CompletionThread} runs what it resumes, if a worker sleeps; and hands it over, if none does. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class GuestTest {
    private final LatencyHidingScheduler scheduler =
            LatencyHidingScheduler.builder().parallelism(2).build();

    // ---- where the node runs ----

    @Test
    void resumedNode_whileWorkersSleep_runsOnTheCompletingThread() throws Exception {
        final Suspension suspension = suspend(scheduler);
        final CompletableFuture<Thread> went = new CompletableFuture<>();
        final Thread thread = completing(suspension, () -> went.complete(Thread.currentThread()));

        assertSame(thread, get(went));
        closeAndCheck(1);
    }

    @Test
    void resumedNode_whileAllWorkersAreBusy_runsOnAWorker() throws Exception {
        final Suspension suspension = suspend(scheduler);
        final CountDownLatch busy = new CountDownLatch(2);
        final AtomicBoolean over = new AtomicBoolean();
        for (int i = 0; i < 2; i++) {
            scheduler.execute(() -> {
                busy.countDown();
                spinUntil(over::get);
            });
        }
        Await.latch(busy);
        final CompletableFuture<Thread> went = new CompletableFuture<>();
        final Thread thread = start(() -> resumeBy(suspension, () -> went.complete(Thread.currentThread())));
        Await.ended(thread); // it has handed the node over, and did not run it
        assertFalse(went.isDone());
        over.set(true);

        assertInstanceOf(WorkerThread.class, get(went));
        closeAndCheck(0);
    }

    @ParameterizedTest
    @EnumSource(names = {"LHWS", "CLASSIC"})
    void resumedNode_ofAnotherPolicy_runsOnAWorker(Policy policy) throws Exception {
        try (LatencyHidingScheduler other =
                LatencyHidingScheduler.builder().policy(policy).parallelism(2).build()) {
            final Suspension suspension = Await.onWorker(other, Suspension::open);
            final CompletableFuture<Thread> went = new CompletableFuture<>();
            start(() -> suspension.resumeBy(() -> other.execute(() -> went.complete(Thread.currentThread()))));

            assertInstanceOf(WorkerThread.class, get(went));
            assertEquals(0, other.stats().guestRuns());
        }
        scheduler.close();
    }

    @Test
    void resume_withoutCompletion_runsOnAWorker() throws Exception {
        final Suspension suspension = suspend(scheduler);
        final CompletableFuture<Thread> went = new CompletableFuture<>();
        start(() -> suspension.resume(() -> went.complete(Thread.currentThread())));

        assertInstanceOf(WorkerThread.class, get(went));
        closeAndCheck(0);
    }

    @Test
    void guest_runsAfterTheCompletionHasReturned() throws Exception {
        final Suspension suspension = suspend(scheduler);
        final AtomicBoolean returned = new AtomicBoolean();
        final CompletableFuture<Boolean> hadReturned = new CompletableFuture<>();
        start(() -> suspension.resumeBy(() -> {
            scheduler.execute(() -> hadReturned.complete(returned.get()));
            assertNull(Worker.current());
            returned.set(true);
        }));

        assertTrue(get(hadReturned));
        closeAndCheck(1);
    }

    @Test
    void completionThatThrows_afterItResumed_runsTheNodeAllTheSame() throws Exception {
        final Suspension suspension = suspend(scheduler);
        final CountDownLatch ran = new CountDownLatch(1);
        start(() -> {
            try {
                suspension.resumeBy(() -> {
                    scheduler.execute(ran::countDown);
                    throw new IllegalStateException("after it resumed");
                });
            } catch (IllegalStateException expected) {
                // as it was asked for
            }
        });

        Await.latch(ran);
        closeAndCheck(1);
    }

    // ---- what a node can do there ----

    @Test
    void nodeOfAGuest_isOnTheScheduler() throws Exception {
        final Suspension first = suspend(scheduler);
        final CompletableFuture<Suspension> second = new CompletableFuture<>();
        final CompletableFuture<LatencyHidingScheduler> current = new CompletableFuture<>();
        final Thread thread = completing(first, () -> {
            current.complete(LatencyHidingScheduler.currentOrShared());
            second.complete(Suspension.openOnWorker());
        });
        Await.ended(thread);

        assertSame(scheduler, get(current));
        assertNotNull(get(second).deque, "opened on a worker");
        assertEquals(1, scheduler.stats().suspendedDeques());
        second.join().release();
        closeAndCheck(1);
    }

    @Test
    void spawnsOfAGuestThatStaysInItsNode_areStolenByWorkers() throws Exception {
        final Suspension suspension = suspend(scheduler);
        final CompletableFuture<Thread> child = new CompletableFuture<>();
        final AtomicBoolean childRan = new AtomicBoolean();
        final Thread thread = completing(suspension, () -> {
            scheduler.execute(() -> {
                child.complete(Thread.currentThread());
                childRan.set(true);
            });
            spinUntil(childRan::get);
        });

        assertInstanceOf(WorkerThread.class, get(child));
        Await.ended(thread);
        closeAndCheck(1);
    }

    @Test
    void forkJoinOnAGuest_isDone() throws Exception {
        final Suspension suspension = suspend(scheduler);
        final AtomicInteger leaves = new AtomicInteger();
        Await.ended(completing(suspension, () -> tree(10, leaves)));

        assertEquals(1 << 10, leaves.get());
        closeAndCheck(1);
    }

    private void tree(int depth, AtomicInteger leaves) {
        if (depth == 0) {
            leaves.incrementAndGet();
        } else {
            scheduler.invoke(() -> tree(depth - 1, leaves), () -> tree(depth - 1, leaves));
        }
    }

    @Test
    void guest_withManyNodes_leavesMostOfThemToWorkers() throws Exception {
        final Suspension suspension = suspend(scheduler);
        final int children = 1_000;
        final AtomicInteger onGuest = new AtomicInteger();
        final CountDownLatch all = new CountDownLatch(children);
        final Thread thread = completing(suspension, () -> {
            for (int i = 0; i < children; i++) {
                scheduler.execute(() -> {
                    onGuest.addAndGet(Thread.currentThread() instanceof WorkerThread ? 0 : 1);
                    all.countDown();
                });
            }
        });

        Await.ended(thread);
        Await.latch(all);
        assertTrue(onGuest.get() < 16, () -> onGuest + " nodes");
        closeAndCheck(1);
    }

    @Test
    void exceptionOfAGuestsNode_goesToTheSchedulersHandler() throws Exception {
        final CompletableFuture<Throwable> handled = new CompletableFuture<>();
        try (LatencyHidingScheduler strict = LatencyHidingScheduler.builder()
                .parallelism(1)
                .uncaughtExceptionHandler((thread, error) -> handled.complete(error))
                .build()) {
            final Suspension suspension = suspend(strict);
            final IllegalStateException error = new IllegalStateException("of a node");
            final Thread thread = start(() -> suspension.resumeBy(() -> strict.execute(() -> {
                throw error;
            })));

            assertSame(error, get(handled));
            Await.ended(thread);
            assertEquals(1, strict.stats().guestRuns());
            assertEquals(1, strict.stats().nodesFailed());
        }
        scheduler.close();
    }

    // ---- the end ----

    @Test
    void close_whileAGuestRuns_waitsForIt() throws Exception {
        final Suspension suspension = suspend(scheduler);
        final CountDownLatch began = new CountDownLatch(1);
        final AtomicBoolean goOn = new AtomicBoolean();
        completing(suspension, () -> {
            began.countDown();
            spinUntil(goOn::get);
            scheduler.execute(() -> {}); // a spawn is accepted until the end
        });
        Await.latch(began);
        scheduler.shutdown();
        assertFalse(scheduler.awaitTermination(20, TimeUnit.MILLISECONDS));
        goOn.set(true);

        closeAndCheck(1);
        assertEquals(3, scheduler.stats().nodesRun());
    }

    @Test
    void close_byAGuest_doesNotWaitForItself() throws Exception {
        final Suspension suspension = suspend(scheduler);
        Await.ended(completing(suspension, scheduler::close));

        closeAndCheck(1);
    }

    @Test
    void shutdownNow_interruptsAGuest() throws Exception {
        final Suspension suspension = suspend(scheduler);
        final CountDownLatch began = new CountDownLatch(1);
        final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        completing(suspension, () -> {
            began.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.complete(true);
            }
        });
        Await.latch(began);
        scheduler.shutdownNow();

        assertTrue(get(interrupted));
        closeAndCheck(1);
    }

    // ---- many at a time ----

    /** Chains of suspensions, ended by four threads while workers steal, until all chains are through. */
    @Test
    void guestsAndWorkers_atTheSameTime_runEachNodeOnce() throws Exception {
        final int chains = 50;
        final int length = Await.scaled(400, 20_000);
        final AtomicInteger nodes = new AtomicInteger();
        final CountDownLatch through = new CountDownLatch(chains);
        final CompletionThread[] threads = new CompletionThread[4];
        final LinkedBlockingQueue<Runnable> ready = new LinkedBlockingQueue<>();
        for (int i = 0; i < threads.length; i++) {
            threads[i] = start(() -> {
                try {
                    while (through.getCount() > 0) {
                        final Runnable completion = ready.poll(1, TimeUnit.MILLISECONDS);
                        if (completion != null) {
                            completion.run();
                        }
                    }
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
        }
        for (int i = 0; i < chains; i++) {
            scheduler.execute(new Runnable() {
                private int left = length;

                @Override
                public void run() {
                    nodes.incrementAndGet();
                    if (--left == 0) {
                        through.countDown();
                        return;
                    }
                    scheduler.execute(nodes::incrementAndGet); // left in the deque, for whoever comes first
                    final Suspension suspension = Suspension.open(scheduler);
                    ready.add(() -> resumeBy(suspension, this));
                }
            });
        }
        Await.latch(through);
        for (CompletionThread thread : threads) {
            Await.ended(thread);
        }
        scheduler.close();

        assertEquals(chains * (2 * length - 1), nodes.get());
        assertTrue(scheduler.stats().guestRuns() > 0, () -> scheduler.stats().toString());
        SchedulerInspector.assertQuiescent(scheduler);
    }

    // ---- how ----

    /** A suspension whose deque is suspended, on a scheduler that sleeps. */
    private static Suspension suspend(LatencyHidingScheduler scheduler) throws Exception {
        final Suspension suspension = Await.onWorker(scheduler, Suspension::open);
        Await.until("the deque is suspended", () -> scheduler.stats().suspendedDeques() == 1);
        Await.allAsleep(scheduler);
        return suspension;
    }

    private void resumeBy(Suspension suspension, Runnable node) {
        suspension.resumeBy(() -> scheduler.executeResumed(node));
    }

    private Thread completing(Suspension suspension, Runnable node) {
        return start(() -> resumeBy(suspension, node));
    }

    private static CompletionThread start(Runnable body) {
        final CompletionThread thread = new CompletionThread(Await.uniqueName("completing"), body);
        thread.start();
        return thread;
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(Await.DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    private static void spinUntil(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }

    private void closeAndCheck(int guestRuns) {
        scheduler.close();
        assertEquals(guestRuns, scheduler.stats().guestRuns());
        assertEquals(0, scheduler.core().guests.active());
        SchedulerInspector.assertQuiescent(scheduler);
    }
}
