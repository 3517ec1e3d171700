package dev.latencyhiding;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting in tests: always for a condition, with a deadline that only bounds a failure. */
final class Await {
    static final long DEADLINE_SECONDS = 60;

    private static final long POLL_NANOS = 100_000;

    /** Whether the long mode was asked for. */
    static final boolean LONG = "long".equals(System.getProperty("latencyhiding.stress"));

    private static final AtomicInteger NAMES = new AtomicInteger();

    private Await() {}

    /** The first number in short mode, the second in long mode. */
    static int scaled(int inShortMode, int inLongMode) {
        return LONG ? inLongMode : inShortMode;
    }

    /** A name that no other scheduler of this JVM has. */
    static String uniqueName(String prefix) {
        return prefix + "-" + NAMES.incrementAndGet();
    }

    /** Polls until the condition holds. */
    static void until(String what, BooleanSupplier condition) {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("not within " + DEADLINE_SECONDS + " s: " + what);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** Computes, so to speak, until the condition holds: the thread does not wait. */
    static void spinUntil(BooleanSupplier condition) {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("spun in vain for " + DEADLINE_SECONDS + " s");
            }
            Thread.onSpinWait();
        }
    }

    /** Waits until the latch is open. */
    static void latch(CountDownLatch latch) {
        try {
            if (!latch.await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("a latch still waits for " + latch.getCount());
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while waiting for a latch", e);
        }
    }

    /** Waits until all workers sleep and no spare one is left. */
    static void allAsleep(LatencyHidingScheduler scheduler) {
        until("all workers asleep in " + scheduler.core().idle, () -> {
            final SchedulerStats stats = scheduler.stats();
            return stats.sleepingWorkers() == scheduler.parallelism() && stats.workers() == scheduler.parallelism();
        });
    }

    /** Runs a body as one node of the scheduler and returns what it returned. */
    static <T> T onWorker(LatencyHidingScheduler scheduler, Callable<T> body) throws Exception {
        final FutureTask<T> task = new FutureTask<>(body);
        scheduler.execute(task);
        return task.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    /** As submit, but by {@code executeFairly}. */
    static <T> FutureTask<T> fairly(LatencyHidingScheduler scheduler, Callable<T> body) {
        final FutureTask<T> task = new FutureTask<>(body);
        scheduler.executeFairly(task);
        return task;
    }

    /** Starts a daemon thread that is not a worker. */
    static Thread thread(Runnable body) {
        final Thread thread = new Thread(body, uniqueName("test"));
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Waits until the thread has ended. */
    static void ended(Thread thread) {
        until("end of " + thread, () -> !thread.isAlive());
    }

    /** How many live threads have a name that starts with the prefix. */
    static long threadsNamed(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.isAlive() && thread.getName().startsWith(prefix))
                .count();
    }
}
