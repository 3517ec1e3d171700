package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@link Suspension#resumeBy}: the node that a completion hands to the scheduler takes the suspended
 * one's place, on any kind of completing thread; and if none comes, the deque does not wait for it.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
@ParameterizedClass
@EnumSource
final class ResumeByTest {
    private final Policy policy;
    private final LatencyHidingScheduler scheduler;

    ResumeByTest(Policy policy) {
        this.policy = policy;
        this.scheduler =
                LatencyHidingScheduler.builder().parallelism(1).policy(policy).build();
    }

    @AfterEach
    void close() {
        scheduler.close();
        assertEquals(0, scheduler.stats().openSuspensions());
    }

    @Test
    void resumeBy_nodeHandedInByForeignThread_isResumed() throws Exception {
        final Suspension suspension = suspend();
        final CountDownLatch ran = new CountDownLatch(1);

        assertTrue(suspension.resumeBy(() -> scheduler.execute(ran::countDown)));

        ran.await();
        assertEquals(1, scheduler.stats().wakeUps());
        assertEquals(1, scheduler.stats().resumes());
    }

    @Test
    void resumeBy_onTheTimerThread_isResumed() throws Exception {
        final Suspension suspension = suspend();
        final CountDownLatch ran = new CountDownLatch(1);

        scheduler.after(1, TimeUnit.MILLISECONDS, () -> suspension.resumeBy(() -> scheduler.execute(ran::countDown)));

        ran.await();
        assertEquals(1, scheduler.stats().resumes());
    }

    @Test
    void resumeBy_onAWorker_isResumedOnItsOwnDeque() throws Exception {
        assumeFalse(policy == Policy.CLASSIC, "the only worker is blocked");
        final Suspension suspension = suspend();
        final CountDownLatch ran = new CountDownLatch(1);

        scheduler.execute(() -> suspension.resumeBy(() -> scheduler.execute(ran::countDown)));

        ran.await();
        assertEquals(1, scheduler.stats().wakeUps());
    }

    @Test
    void resumeBy_severalNodes_onlyTheFirstTakesThePlace() throws Exception {
        final Suspension suspension = suspend();
        final CountDownLatch ran = new CountDownLatch(3);

        assertTrue(suspension.resumeBy(() -> {
            for (int i = 0; i < 3; i++) {
                scheduler.execute(ran::countDown);
            }
        }));

        ran.await();
        assertEquals(1, scheduler.stats().resumes());
    }

    @Test
    void resumeBy_noNode_releases() throws Exception {
        final Suspension suspension = suspend();

        assertFalse(suspension.resumeBy(() -> {}));

        assertFalse(suspension.isOpen());
        assertEquals(1, scheduler.stats().releases());
    }

    @Test
    void resumeBy_nodeForAnotherScheduler_releases() throws Exception {
        final Suspension suspension = suspend();
        final CountDownLatch ran = new CountDownLatch(1);
        try (LatencyHidingScheduler other =
                LatencyHidingScheduler.builder().parallelism(1).build()) {
            assertFalse(suspension.resumeBy(() -> other.execute(ran::countDown)));
            ran.await();
        }
    }

    @Test
    void resumeBy_completionThrows_releasesAndPassesItOn() throws Exception {
        final Suspension suspension = suspend();

        final IllegalStateException error = assertThrows(
                IllegalStateException.class,
                () -> suspension.resumeBy(() -> {
                    throw new IllegalStateException("expected");
                }));

        assertEquals("expected", error.getMessage());
        assertFalse(suspension.isOpen());
        final AtomicBoolean later = new AtomicBoolean();
        scheduler.submit(() -> later.set(true)).get();
        assertTrue(later.get(), "nothing is carried any more");
        assertEquals(0, scheduler.stats().resumes());
    }

    @Test
    void resumeBy_nested_eachHasItsOwn() throws Exception {
        assumeFalse(policy == Policy.CLASSIC, "the only worker is blocked after the first");
        final Suspension outer = suspend();
        final Suspension inner = suspend();
        final AtomicInteger ran = new AtomicInteger();

        outer.resumeBy(() -> {
            inner.resumeBy(() -> scheduler.execute(ran::incrementAndGet));
            scheduler.execute(ran::incrementAndGet);
        });

        scheduler.close();
        assertEquals(2, ran.get());
        assertEquals(2, scheduler.stats().resumes());
    }

    @Test
    void executeResumed_fromOutside_isAWakeUp() throws Exception {
        final CountDownLatch ran = new CountDownLatch(1);

        scheduler.executeResumed(ran::countDown);

        ran.await();
        assertEquals(1, scheduler.stats().wakeUps());
        assertEquals(0, scheduler.stats().arrivals());
    }

    /** A suspension whose node has returned. */
    private Suspension suspend() throws Exception {
        final CompletableFuture<Suspension> opened = new CompletableFuture<>();
        scheduler.execute(() -> opened.complete(Suspension.open()));
        final Suspension suspension = opened.get();
        if (policy != Policy.CLASSIC) { // else the node has returned, but its worker is blocked
            scheduler.submit(() -> {}).get(); // one worker: the first node has returned by now
        }
        return suspension;
    }
}
