package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a suspension promises: its node comes back exactly once, to the deque it left, whoever ends it
 * and whenever; and the deque's other nodes never wait for it.
 */
@Timeout(120)
class SuspensionTest {
    private final LatencyHidingScheduler scheduler =
            LatencyHidingScheduler.builder().parallelism(1).maxSpareWorkers(0).build();
    private final List<String> order = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        scheduler.close();
        SchedulerInspector.assertQuiescent(scheduler);
    }

    private Runnable step(String name) {
        return () -> order.add(name);
    }

    private Suspension openInNode() throws Exception {
        final Suspension suspension = Await.onWorker(scheduler, Suspension::open);
        Await.until("suspended", () -> scheduler.stats().suspendedDeques() == 1);
        return suspension;
    }

    private static ProwsDeque activeDeque() {
        return Worker.current().active();
    }

    // ---- one suspension ----

    @Test
    void open_onWorker_isBoundToItsDeque() throws Exception {
        final Suspension suspension = Await.onWorker(scheduler, () -> {
            final Suspension opened = Suspension.open(scheduler);
            assertSame(activeDeque(), opened.deque);
            return opened;
        });
        assertTrue(suspension.isOpen());
        suspension.release();
    }

    @Test
    void open_offWorker_isDetachedAndResumesAsArrival() {
        final Suspension suspension = Suspension.open(scheduler);
        assertNull(suspension.deque);
        assertEquals(1, scheduler.stats().openSuspensions());
        assertTrue(suspension.resume(step("resumed")));
        Await.until("ran", () -> order.size() == 1);
        Await.allAsleep(scheduler);
        assertEquals(0, scheduler.stats().wakeUps());
        assertEquals(1, scheduler.stats().arrivals());
    }

    @Test
    void open_offWorkerWithoutScheduler_usesSharedOne() {
        final CountDownLatch ran = new CountDownLatch(1);
        final AtomicReference<String> thread = new AtomicReference<>();
        Suspension.open().resume(() -> {
            thread.set(Thread.currentThread().getName());
            ran.countDown();
        });
        Await.latch(ran);
        assertTrue(thread.get().startsWith("LatencyHiding-worker-"), thread.get());
    }

    @Test
    void open_onWorkerOfAnotherScheduler_isDetached() throws Exception {
        try (LatencyHidingScheduler other =
                LatencyHidingScheduler.builder().parallelism(1).build()) {
            final Suspension suspension = Await.onWorker(other, () -> Suspension.open(scheduler));
            assertNull(suspension.deque);
            assertEquals(0, other.stats().suspensions());
            suspension.resume(step("resumed"));
            Await.until("ran", () -> order.size() == 1);
        }
    }

    @Test
    void null_asArgument_isRefusedAndChangesNothing() throws Exception {
        assertThrows(NullPointerException.class, () -> Suspension.open(null));
        final Suspension suspension = openInNode();
        assertEquals(
                "continuation",
                assertThrows(NullPointerException.class, () -> suspension.resume(null))
                        .getMessage());
        assertTrue(suspension.release());
    }

    @Test
    void resume_twice_runsFirstNodeOnly() throws Exception {
        final Suspension suspension = openInNode();
        assertTrue(suspension.resume(step("first")));
        assertFalse(suspension.resume(step("second")));
        assertFalse(suspension.release());
        assertFalse(suspension.isOpen());
        scheduler.close();
        assertEquals(List.of("first"), order);
        assertEquals(1, scheduler.stats().wakeUps());
    }

    @Test
    void resume_afterRelease_runsNothing() throws Exception {
        final Suspension suspension = openInNode();
        assertTrue(suspension.release());
        assertFalse(suspension.release());
        assertFalse(suspension.resume(step("resumed")));
        scheduler.close();
        assertEquals(List.of(), order);
        assertEquals(1, scheduler.stats().releases());
        assertEquals(0, scheduler.stats().resumes());
    }

    @Test
    void toString_namesStateAndScheduler() throws Exception {
        final Suspension bound = openInNode();
        final Suspension detached = Suspension.open(scheduler);
        assertEquals("Suspension[waiting, scheduler=" + scheduler.name() + "]", bound.toString());
        assertEquals("Suspension[open, detached, scheduler=" + scheduler.name() + "]", detached.toString());
        bound.resume(() -> {});
        detached.release();
        assertEquals("Suspension[resumed, scheduler=" + scheduler.name() + "]", bound.toString());
        assertEquals("Suspension[released, detached, scheduler=" + scheduler.name() + "]", detached.toString());
    }

    // ---- the deque it left ----

    @Test
    void resume_whileOthersAreInDeque_landsOnDequeItLeft() {
        final AtomicReference<Suspension> opened = new AtomicReference<>();
        final CountDownLatch began = new CountDownLatch(1);
        final CountDownLatch queued = new CountDownLatch(1);
        scheduler.execute(() -> {
            began.countDown();
            Await.latch(queued);
            scheduler.execute(step("oldest"));
            scheduler.execute(step("middle"));
            scheduler.execute(step("youngest")); // the last to be stolen from the suspended deque
            opened.set(Suspension.open());
        });
        Await.latch(began);
        // A wake-up, so that it runs before what is left in the suspended deque.
        scheduler.executeResumed(() -> opened.get().resume(() -> {
            order.add("resumed");
            assertSameDeque(opened.get().deque);
            scheduler.execute(step("spawned by resumed"));
        }));
        queued.countDown();
        scheduler.close();
        assertEquals(List.of("resumed", "spawned by resumed", "youngest", "middle", "oldest"), order);
        assertEquals(0, scheduler.stats().nodesFailed());
        assertEquals(0, scheduler.stats().steals());
        assertEquals(2, scheduler.stats().wakeUps());
    }

    private static void assertSameDeque(ProwsDeque expected) {
        assertSame(expected, activeDeque());
        assertEquals(3, expected.size());
    }

    @Test
    void suspendedDeque_isRobbedFromTheTopMeanwhile() throws Exception {
        final Suspension suspension = Await.onWorker(scheduler, () -> {
            scheduler.execute(step("oldest"));
            scheduler.execute(step("middle"));
            scheduler.execute(step("youngest"));
            return Suspension.open();
        });
        Await.until("all stolen", () -> order.size() == 3);
        assertEquals(List.of("oldest", "middle", "youngest"), order);
        Await.allAsleep(scheduler);
        assertEquals(1, scheduler.stats().suspendedDeques());
        assertFalse(suspension.deque.inStealableSet(), "an empty suspended deque is in no set");
        suspension.resume(step("resumed"));
    }

    @Test
    void release_ofNonEmptyDeque_makesItAvailableWhole() {
        final AtomicReference<Suspension> opened = new AtomicReference<>();
        final AtomicReference<DequeState> after = new AtomicReference<>();
        final CountDownLatch began = new CountDownLatch(1);
        final CountDownLatch queued = new CountDownLatch(1);
        scheduler.execute(() -> {
            began.countDown();
            Await.latch(queued);
            scheduler.execute(step("older"));
            scheduler.execute(step("younger"));
            opened.set(Suspension.open());
        });
        Await.latch(began);
        scheduler.executeResumed(() -> {
            opened.get().release();
            after.set(opened.get().deque.state());
        });
        queued.countDown();
        scheduler.close();
        assertSame(DequeState.RESUMABLE, after.get());
        assertEquals(List.of("younger", "older"), order, "taken over whole, so from the bottom");
        assertEquals(1, scheduler.stats().muggings());
    }

    @Test
    void release_ofOneOfTwo_leavesDequeSuspended() throws Exception {
        final List<Suspension> both = Await.onWorker(scheduler, () -> {
            scheduler.execute(step("spawned"));
            return List.of(Suspension.open(), Suspension.open());
        });
        Await.until("robbed", () -> order.size() == 1 && scheduler.stats().suspendedDeques() == 1);
        both.get(0).release();
        assertSame(DequeState.SUSPENDED, both.get(1).deque.state());
        both.get(1).resume(step("resumed"));
        scheduler.close();
        assertEquals(List.of("spawned", "resumed"), order);
    }

    /** There is nothing in an empty deque that others could take: the worker keeps it. */
    @Test
    void emptyDeque_ofNodeThatWaitsForTwo_isKept_andBothComeBack() throws Exception {
        final List<Suspension> both = Await.onWorker(scheduler, () -> List.of(Suspension.open(), Suspension.open()));
        Await.until("each stands for an empty deque", () -> scheduler.stats().suspendedDeques() == 2);
        assertSame(DequeState.ACTIVE, both.get(0).deque.state());
        assertEquals(0, both.get(0).deque.openSuspensions());
        both.get(1).resume(step("second"));
        Await.until("back", () -> order.size() == 1);
        assertEquals(1, scheduler.stats().suspendedDeques());
        both.get(0).resume(step("first"));
        scheduler.close();
        assertEquals(List.of("second", "first"), order);
    }

    // ---- early completion ----

    @Test
    void resume_onOwnWorkerBeforeNodeReturns_runsNextOnSameDeque() {
        scheduler.execute(() -> {
            scheduler.execute(step("spawned before"));
            final ProwsDeque deque = activeDeque();
            Suspension.open().resume(() -> {
                order.add(deque == activeDeque() ? "resumed" : "on another deque");
            });
            scheduler.execute(step("spawned after"));
        });
        scheduler.close();
        assertEquals(List.of("resumed", "spawned after", "spawned before"), order);
        assertEquals(1, scheduler.stats().earlyCompletions());
        assertEquals(1, scheduler.stats().resumes());
    }

    @Test
    void resume_onOtherThreadBeforeNodeReturns_runsOnce() {
        scheduler.execute(() -> {
            final Suspension suspension = Suspension.open();
            Await.ended(Await.thread(() -> suspension.resume(step("resumed"))));
        });
        scheduler.close();
        assertEquals(List.of("resumed"), order);
        assertEquals(1, scheduler.stats().earlyCompletions());
    }

    @Test
    void release_beforeNodeReturns_doesNotSuspend() {
        scheduler.execute(() -> {
            scheduler.execute(step("spawned"));
            Suspension.open().release();
        });
        scheduler.close();
        assertEquals(List.of("spawned"), order);
        assertEquals(1, scheduler.stats().earlyCompletions());
    }

    // ---- many ----

    @Test
    void manySuspensions_ofOneNode_eachBringsItsNodeBack() throws Exception {
        final int count = 200;
        final AtomicIntegerArray ran = new AtomicIntegerArray(count);
        final List<Integer> numbers = new ArrayList<>();
        final List<Suspension> opened = Await.onWorker(scheduler, () -> {
            final List<Suspension> list = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                list.add(Suspension.open());
                numbers.add(i);
            }
            return list;
        });
        Collections.shuffle(numbers, new Random(1));
        final List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            final List<Integer> part = numbers.subList(t * count / 4, (t + 1) * count / 4);
            threads.add(Await.thread(() -> part.forEach(i -> opened.get(i).resume(() -> ran.incrementAndGet(i)))));
        }
        threads.forEach(Await::ended);
        scheduler.close();
        for (int i = 0; i < count; i++) {
            assertEquals(1, ran.get(i), "node " + i);
        }
        assertEquals(count, scheduler.stats().resumes());
    }

    @Test
    void resumedNode_suspendsAgainAndAgain() {
        final AtomicInteger rounds = new AtomicInteger();
        final CountDownLatch done = new CountDownLatch(1);
        scheduler.execute(() -> suspendAgain(rounds, done));
        Await.latch(done);
        scheduler.close();
        assertEquals(100, rounds.get());
        assertEquals(100, scheduler.stats().resumes());
    }

    private void suspendAgain(AtomicInteger rounds, CountDownLatch done) {
        final Suspension suspension = Suspension.open();
        Await.thread(() -> suspension.resume(() -> {
            if (rounds.incrementAndGet() < 100) {
                suspendAgain(rounds, done);
            } else {
                done.countDown();
            }
        }));
    }
}
