package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** The timer's thread: nothing fires early, twice, or never; cancelling frees at once; the end tells all. */
@org.junit.jupiter.api.Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
final class TimerTest {
    private final LatencyHidingScheduler scheduler =
            LatencyHidingScheduler.builder().name("timed").parallelism(2).build();

    @AfterEach
    void close() {
        scheduler.shutdownNow();
    }

    @Test
    void after_someTime_runsOnTimerThreadAndNotEarly() throws InterruptedException {
        final AtomicLong early = new AtomicLong();
        final List<String> threads = new ArrayList<>();
        final CountDownLatch done = new CountDownLatch(200);
        final Random random = new Random(1);
        for (int i = 0; i < 200; i++) {
            final long delay = TimeUnit.MICROSECONDS.toNanos(random.nextInt(30_000));
            final long begun = System.nanoTime();
            scheduler.after(delay, TimeUnit.NANOSECONDS, () -> {
                if (System.nanoTime() - begun < delay) {
                    early.incrementAndGet();
                }
                threads.add(Thread.currentThread().getName()); // one thread, so no race
                done.countDown();
            });
        }
        done.await();
        assertEquals(0, early.get());
        assertEquals(List.of("timed-timer"), threads.stream().distinct().toList());
    }

    @Test
    void after_earlierThanTheOthers_wakesTheThreadInTime() throws InterruptedException {
        scheduler.after(1, TimeUnit.HOURS, () -> {});
        for (int i = 0; i < 200; i++) {
            final CountDownLatch fired = new CountDownLatch(1);
            scheduler.after(100, TimeUnit.MICROSECONDS, fired::countDown);
            fired.await(); // the class's time limit bounds an overslept one
        }
    }

    /** Fails within a thousand rounds if the thread is known to others only after it was started. */
    @Test
    void start_whileTheThreadIsBeingStarted_wakesIt() throws Exception {
        final ExecutorService other = Executors.newSingleThreadExecutor();
        for (int i = 0; i < 5_000; i++) {
            final Timer timer = new Timer("fresh", 2);
            final CountDownLatch first = new CountDownLatch(1);
            final CountDownLatch second = new CountDownLatch(1);
            final Future<?> follower = other.submit(() -> {
                while (first.getCount() > 0) {
                    Thread.onSpinWait();
                }
                timer.start(new Timeout.OfAction(second::countDown), 0, 1);
            });
            timer.start(new Timeout.OfAction(first::countDown), 0, 0);
            assertTrue(second.await(30, TimeUnit.SECONDS), "lost in round " + i);
            follower.get();
            timer.stop();
        }
        other.shutdown();
    }

    @Test
    void cancel_beforeItIsDue_neverRunsAndFreesAtOnce() {
        Object payload = new Object();
        final WeakReference<Object> reference = new WeakReference<>(payload);
        final Timeout timeout = after1HourHolding(payload);
        payload = null;

        assertTrue(timeout.cancel());
        assertFalse(timeout.cancel());

        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (reference.get() != null && System.nanoTime() - deadline < 0) {
            System.gc();
        }
        assertNull(reference.get());
    }

    private Timeout after1HourHolding(Object payload) {
        final List<Object> sink = new ArrayList<>();
        return scheduler.after(1, TimeUnit.HOURS, () -> sink.add(payload));
    }

    @Test
    void cancel_racingTheTimer_runsOrCancelsExactlyOnce() throws InterruptedException {
        final int count = 50_000;
        final AtomicInteger ran = new AtomicInteger();
        int cancelled = 0;
        final CountDownLatch last = new CountDownLatch(1);
        for (int i = 0; i < count; i++) {
            final Timeout timeout = scheduler.after(i % 300, TimeUnit.MICROSECONDS, ran::incrementAndGet);
            if (i % 3 != 0) {
                Thread.onSpinWait();
            }
            if (timeout.cancel()) {
                cancelled++;
            }
        }
        scheduler.after(50, TimeUnit.MILLISECONDS, last::countDown);
        last.await();
        assertEquals(count, ran.get() + cancelled);
    }

    @Test
    void after_aMillion_allFireOnce() throws InterruptedException {
        final int count = 1_000_000;
        final CountDownLatch done = new CountDownLatch(count);
        final Random random = new Random(2);
        for (int i = 0; i < count; i++) {
            scheduler.after(random.nextInt(1000), TimeUnit.MILLISECONDS, done::countDown);
        }
        done.await();
    }

    @Test
    void after_actionThrows_timerGoesOn() throws InterruptedException {
        final CountDownLatch next = new CountDownLatch(1);
        scheduler.after(0, TimeUnit.NANOSECONDS, () -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> {});
            throw new IllegalStateException("expected");
        });
        scheduler.after(1, TimeUnit.MILLISECONDS, next::countDown);
        next.await();
    }

    @Test
    void shutdownNow_withTimersWaiting_runsThemAndRefusesNewOnes() throws InterruptedException {
        final CountDownLatch told = new CountDownLatch(3);
        for (int i = 1; i <= 3; i++) {
            scheduler.after(i, TimeUnit.HOURS, told::countDown);
        }
        scheduler.shutdownNow();
        told.await();
        assertThrows(RejectedExecutionException.class, () -> scheduler.after(1, TimeUnit.DAYS, () -> {}));
    }

    @Test
    void after_hugeOrNegativeDelay_isAccepted() throws InterruptedException {
        final CountDownLatch done = new CountDownLatch(1);
        scheduler.after(-5, TimeUnit.DAYS, done::countDown);
        assertTrue(scheduler.after(Long.MAX_VALUE, TimeUnit.DAYS, () -> {}).cancel());
        done.await();
    }

    @Test
    void after_null_isRefusedByName() {
        final Runnable action = null;
        final NullPointerException refused =
                assertThrows(NullPointerException.class, () -> scheduler.after(1, TimeUnit.DAYS, action));
        assertEquals("action", refused.getMessage());
    }

    @Test
    void after_timeoutStartedBefore_isRefused() {
        final Timeout timeout = scheduler.after(1, TimeUnit.DAYS, () -> {});

        assertThrows(IllegalStateException.class, () -> scheduler.after(1, TimeUnit.DAYS, timeout));
    }

    @Test
    void cancel_notStarted_isFalse() {
        assertFalse(new Timeout.OfAction(() -> {}).cancel());
    }
}
