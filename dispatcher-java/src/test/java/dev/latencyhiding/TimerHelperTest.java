package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Workers do what the timer's thread is late with. The time is the test's: nothing is due for an hour. */
@org.junit.jupiter.api.Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
final class TimerHelperTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private final LatencyHidingScheduler scheduler =
            LatencyHidingScheduler.builder().name("helped").parallelism(1).build();
    private final Timer timer = scheduler.core().timer;

    @AfterEach
    void close() {
        scheduler.shutdownNow();
    }

    @Test
    void look_threadIsLate_firesOnTheWorkerAsOnAnyOtherThread() throws Exception {
        final List<String> seen = new ArrayList<>();
        scheduler.after(1, TimeUnit.HOURS, () -> {
            seen.add(Thread.currentThread().getName());
            seen.add(Worker.current() == null ? "nobody" : "a worker");
        });
        awaitSleepOfTimer();

        final boolean workerAgain = onWorker(() -> {
            new TimerHelper(timer).look(System.nanoTime() + 2 * HOUR);
            return Worker.current() != null;
        });

        assertEquals(List.of("helped-worker-1", "nobody"), seen);
        assertTrue(workerAgain);
    }

    @Test
    void look_threadIsLate_whatItResumesIsAWakeUp() throws Exception {
        final CountDownLatch resumed = new CountDownLatch(1);
        scheduler.execute(() -> {
            final Suspension suspension = Suspension.open();
            scheduler.after(1, TimeUnit.HOURS, () -> suspension.resume(resumed::countDown));
        });
        awaitSleepOfTimer();
        final long before = scheduler.stats().wakeUps();

        onWorker(() -> {
            new TimerHelper(timer).look(System.nanoTime() + 2 * HOUR);
            return true;
        });
        resumed.await();

        assertEquals(before + 1, scheduler.stats().wakeUps());
    }

    @Test
    void look_nothingIsDue_firesNothing() {
        final AtomicBoolean fired = new AtomicBoolean();
        scheduler.after(1, TimeUnit.HOURS, () -> fired.set(true));
        awaitSleepOfTimer();

        new TimerHelper(timer).look(System.nanoTime());

        assertFalse(fired.get());
    }

    @Test
    void fireDue_actionThrows_workerIsAWorkerAgain() throws Exception {
        scheduler.after(1, TimeUnit.HOURS, () -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> {});
            throw new IllegalStateException("expected");
        });
        awaitSleepOfTimer();

        assertNotNull(onWorker(() -> {
            new TimerHelper(timer).look(System.nanoTime() + 2 * HOUR);
            return Worker.current();
        }));
    }

    @Test
    void fireDue_byManyThreadsAtOnce_eachFiresOnce() throws InterruptedException {
        final int count = 200_000;
        final AtomicInteger fired = new AtomicInteger();
        final CountDownLatch all = new CountDownLatch(count);
        final AtomicBoolean done = new AtomicBoolean();
        final List<Thread> helpers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            final Thread helper = new Thread(() -> {
                while (!done.get()) {
                    timer.fireDue(System.nanoTime());
                }
            });
            helper.start();
            helpers.add(helper);
        }

        for (int i = 0; i < count; i++) {
            scheduler.after(i % 3000, TimeUnit.MICROSECONDS, () -> {
                fired.incrementAndGet();
                all.countDown();
            });
        }
        all.await();
        done.set(true);
        for (Thread helper : helpers) {
            helper.join();
        }

        assertEquals(count, fired.get());
    }

    private void awaitSleepOfTimer() {
        while (timer.isIdle() || !timer.isLate(System.nanoTime() + 2 * HOUR)) {
            Thread.onSpinWait(); // bounded by the class's time limit
        }
    }

    private <T> T onWorker(Callable<T> action) throws InterruptedException, ExecutionException {
        return scheduler.submit(action).get();
    }
}
