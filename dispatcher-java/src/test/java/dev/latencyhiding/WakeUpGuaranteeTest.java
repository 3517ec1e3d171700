package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The guarantee of {@link Turns}: when m resumed nodes wait and one more is resumed, at most
 * m + ⌊m/16⌋ + 2P other nodes start before a worker takes it, however busy all workers are; where m counts what
 * these enable, too, one node each. This is what a timer or a reply under full load lives on, so it is tested by
 * counting, not by the clock.
 *
 * <p>What is counted: nodes that see, at their start, both the batch's counter, which is published
 * after the last resume() has returned, and a wake-up in the lane. So never one too many, wherever a
 * thread is preempted: not the resuming one before the counter is there, and not the worker that has
 * taken the last wake-up but not started it, while the others go on. Of a batch of n the last one has
 * at most m = n - 1 before it.
 *
 * <p>Seen to fail: when Turns.next looks for wake-ups at some boundaries only; the floor of own nodes
 * when Turns.next leaves out the comparison with MAX_WAKE_STREAK.
 */
@Timeout(240)
class WakeUpGuaranteeTest {
    private LatencyHidingScheduler scheduler;
    private final AtomicBoolean end = new AtomicBoolean();
    private final ConcurrentLinkedQueue<Suspension> open = new ConcurrentLinkedQueue<>();

    /** Of the batch that was resumed last; a new one for each, lest a late node count for the next. */
    private volatile AtomicInteger counter;

    private void start(int parallelism) {
        scheduler = LatencyHidingScheduler.builder()
                .parallelism(parallelism)
                .maxSpareWorkers(0)
                .build();
    }

    @AfterEach
    void close() {
        end.set(true);
        open.forEach(Suspension::release); // after a failure, so that closing does not wait for them
        scheduler.close();
        assertEquals(0, scheduler.stats().nodesFailed());
        SchedulerInspector.assertQuiescent(scheduler);
    }

    private void count() {
        final AtomicInteger started = counter;
        if (started != null && scheduler.core().lanes.hasWakeUps()) {
            started.incrementAndGet();
        }
    }

    /** Long enough for the resuming thread to set its flag meanwhile, mostly. */
    private static void compute() {
        final long until = System.nanoTime() + 5_000;
        while (System.nanoTime() - until < 0) {
            Thread.onSpinWait();
        }
    }

    // ---- loads that never end by themselves ----

    /** Work of its own for every worker: each has a chain to follow and others to lose to thieves. */
    private void startOwnWork() {
        for (int i = 0; i < scheduler.parallelism(); i++) {
            scheduler.execute(() -> {
                for (int j = 0; j < 4; j++) {
                    scheduler.execute(this::chain);
                }
            });
        }
        final int workers = scheduler.parallelism();
        Await.until("own work on all", () -> scheduler.stats().nodesRun() > 20L * workers);
    }

    private void chain() {
        count();
        compute();
        if (!end.get()) {
            scheduler.execute(this::chain);
        }
    }

    private void startArrivals(int nodes) {
        for (int i = 0; i < nodes; i++) {
            scheduler.execute(this::yieldAgain);
        }
    }

    private void yieldAgain() {
        count();
        compute();
        if (!end.get()) {
            scheduler.executeFairly(this::yieldAgain);
        }
    }

    /** Two nodes that wake each other up, so that there is a wake-up at every boundary. */
    private void startWakeUps(Runnable eachTime) {
        final AtomicReference<Suspension> waiting = new AtomicReference<>();
        scheduler.execute(() -> waiting.set(Suspension.open()));
        Await.until(
                "one waits", () -> waiting.get() != null && scheduler.stats().suspendedDeques() > 0);
        scheduler.execute(() -> wakeOther(waiting, eachTime));
    }

    private void wakeOther(AtomicReference<Suspension> waiting, Runnable eachTime) {
        eachTime.run();
        final Suspension other = waiting.getAndSet(end.get() ? null : Suspension.open());
        if (other != null) {
            other.resume(() -> wakeOther(waiting, eachTime));
        }
    }

    // ---- the measurement ----

    private List<Suspension> openSuspensions(int count) {
        final long before = scheduler.stats().suspendedDeques();
        for (int i = 0; i < count; i++) {
            scheduler.execute(() -> open.add(Suspension.open()));
        }
        Await.until("all wait", () -> scheduler.stats().suspendedDeques() >= before + count);
        return new ArrayList<>(open);
    }

    /** Resumes these one after the other; returns how many nodes started before the last was taken. */
    private int startedBefore(List<Suspension> batch, Runnable wakeUp) {
        final CountDownLatch ran = new CountDownLatch(batch.size());
        for (Suspension suspension : batch) {
            suspension.resume(() -> {
                wakeUp.run();
                ran.countDown();
            });
        }
        final AtomicInteger started = new AtomicInteger();
        counter = started;
        Await.latch(ran);
        counter = null;
        return started.get();
    }

    private void assertGuarantee(int batchSize, int total) {
        assertGuarantee(batchSize, total, batchSize - 1, this::count);
    }

    /** @param m how many nodes there are at most that come before by right: other wake-ups, and what they enable */
    private void assertGuarantee(int batchSize, int total, int m, Runnable wakeUp) {
        final List<Suspension> suspensions = openSuspensions(total);
        final int bound = m + m / Turns.MAX_WAKE_STREAK + 2 * scheduler.parallelism();
        for (int first = 0; first < total; first += batchSize) {
            final int before = startedBefore(suspensions.subList(first, first + batchSize), wakeUp);
            assertTrue(before <= bound, before + " nodes started before, allowed are " + bound);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 10", "1, 100", "2, 1", "2, 10", "2, 100", "4, 1", "4, 10", "4, 100"})
    void resumedNode_whileAllHaveOwnWork_startsWithinBound(int parallelism, int batchSize) {
        start(parallelism);
        startOwnWork();
        assertGuarantee(batchSize, Await.scaled(1_000, 10_000));
    }

    /** Each wake-up is followed by one of the nodes that it enables, at most. */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 10", "1, 100", "2, 1", "2, 10", "2, 100", "4, 1", "4, 10", "4, 100"})
    void resumedNode_whileWakeUpsEnableOthers_startsWithinBound(int parallelism, int batchSize) {
        start(parallelism);
        startOwnWork();
        assertGuarantee(batchSize, Await.scaled(300, 3_000), 2 * (batchSize - 1), () -> {
            count();
            for (int i = 0; i < 3; i++) {
                scheduler.execute(this::count);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 10", "4, 100"})
    void resumedNode_underFloodOfArrivals_startsWithinBound(int parallelism, int batchSize) {
        start(parallelism);
        startArrivals(200);
        assertGuarantee(batchSize, 300);
    }

    @ParameterizedTest
    @CsvSource({"1, 10", "2, 10", "4, 10"})
    void resumedNode_amongOwnWorkAndArrivals_startsWithinBound(int parallelism, int batchSize) {
        start(parallelism);
        startOwnWork();
        startArrivals(50);
        assertGuarantee(batchSize, 300);
    }

    // ---- the floor of the others ----

    @Test
    void ownNodes_whileWakeUpsNeverEnd_runOncePerSeventeen() {
        start(1);
        final AtomicInteger streak = new AtomicInteger();
        final AtomicInteger longest = new AtomicInteger();
        final AtomicInteger wakeUps = new AtomicInteger();
        startWakeUps(() -> {
            wakeUps.incrementAndGet();
            longest.accumulateAndGet(streak.incrementAndGet(), Math::max);
        });
        final AtomicInteger own = new AtomicInteger();
        scheduler.execute(() -> {
            longest.set(0);
            ownChain(own, streak);
        });
        Await.until("a thousand own nodes", () -> own.get() >= 1_000);
        assertTrue(wakeUps.get() >= 1_000, "wake-ups: " + wakeUps);
        assertTrue(longest.get() <= Turns.MAX_WAKE_STREAK, "wake-ups in a row: " + longest);
    }

    private void ownChain(AtomicInteger own, AtomicInteger streak) {
        own.incrementAndGet();
        streak.set(0);
        if (!end.get()) {
            scheduler.execute(() -> ownChain(own, streak));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void arrivals_whileWakeUpsAndOwnWorkNeverEnd_allRun(int parallelism) {
        start(parallelism);
        startOwnWork();
        final AtomicInteger wakeUps = new AtomicInteger();
        for (int i = 0; i < 2 * parallelism; i++) {
            startWakeUps(wakeUps::incrementAndGet);
        }
        Await.until("wake-ups run", () -> wakeUps.get() > 100);
        final CountDownLatch arrived = new CountDownLatch(500);
        for (int i = 0; i < 500; i++) {
            scheduler.execute(arrived::countDown);
        }
        Await.latch(arrived);
    }
}
