package dev.latencyhiding;

import java.lang.invoke.VarHandle;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs short actions when their time has come: one thread, started with the first action, asleep when
 * there is nothing to do. If the thread is late, workers do its work between two nodes ({@link
 * TimerHelper}). The wheel is split into shards, so that workers which set timers do not meet at one lock.
 */
/*
 * Implementation notes
 *
 * No timeout is overslept. Whoever inserts does so, then reads wakeAt and wakes the thread if that is
 * later; the thread writes wakeAt, then looks at all shards again, and only then parks. Each has a full
 * fence between its write and its read, so one of them sees the other. While the thread is at work
 * wakeAt is in the past and nobody wakes it.
 *
 * A helper changes nothing of that: it takes out what is due under the shards' locks, as the thread would,
 * and leaves wakeAt alone. The thread still looks at all shards when it gets to run.
 */
final class Timer {
    /** A tick is 2^15 ns, 33 µs: a timeout fires up to so much late, beside what the system adds. */
    static final int TICK_BITS = 15;

    private static final long AWAKE = Long.MIN_VALUE;

    private final String name;
    private final long origin = System.nanoTime();
    private final Shard[] shards;
    private volatile @Nullable Thread thread;
    private volatile boolean stopped;

    /** The tick at which the thread will look again by itself; AWAKE while it is at work. */
    private volatile long wakeAt = AWAKE;

    Timer(String name, int parallelism) {
        this.name = name;
        this.shards = new Shard[Math.min(8, Integer.highestOneBit(parallelism))];
        for (int i = 0; i < shards.length; i++) {
            shards[i] = new Shard();
        }
    }

    /**
     * Lets a timeout fire when so many nanoseconds have passed, not before.
     *
     * @param lane any number; callers with different ones are less in each other's way
     */
    void start(Timeout timeout, long delayNanos, int lane) {
        if (stopped) {
            throw stoppedException();
        }
        final long due = System.nanoTime() - origin + Math.max(0, delayNanos);
        // Rounded up, never early; and never so far that it overflows.
        final long tick = due < 0 ? TimerWheel.MAX_TICK : Math.min((due >>> TICK_BITS) + 1, TimerWheel.MAX_TICK);
        shards[lane & (shards.length - 1)].insert(timeout, tick);
        // full fence: insert before reading wakeAt; pairs with the fence in sleep
        VarHandle.fullFence();
        if (tick < wakeAt) {
            LockSupport.unpark(thread);
        }
        if (thread == null) {
            startThread();
        }
    }

    private synchronized void startThread() {
        if (thread == null) {
            final Thread started = new LibraryThread(name, true) {
                @Override
                public void run() {
                    Timer.this.run();
                }
            };
            // Before it runs: whoever finds it asleep must know whom to wake.
            thread = started;
            try {
                started.start();
            } catch (Throwable noThread) {
                thread = null; // the next one tries again
                throw noThread;
            }
        }
    }

    /** What still waits is run at once: those who wait must learn that the end has come. */
    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!stopped) {
            fireDue(System.nanoTime());
            sleep();
        }
        for (Shard shard : shards) {
            runAll(shard.close());
        }
    }

    /** Whether there is nothing to wait for. */
    boolean isIdle() {
        return wakeAt == Long.MAX_VALUE;
    }

    /** Whether the thread should have woken up by now, and has not. */
    boolean isLate(long nanoTime) {
        final long planned = wakeAt;
        return planned != AWAKE && planned <= tickAt(nanoTime);
    }

    /** Fires what is due. For the timer's thread, and for others while it is late. */
    void fireDue(long nanoTime) {
        final long now = tickAt(nanoTime);
        for (Shard shard : shards) {
            runAll(shard.takeDue(now));
        }
    }

    private static void runAll(@Nullable Timeout first) {
        for (Timeout timeout = first; timeout != null; ) {
            final Timeout next = timeout.next;
            timeout.next = null; // a long list must not keep finished ones alive
            fire(timeout);
            timeout = next;
        }
    }

    private static void fire(Timeout timeout) {
        try {
            timeout.fire();
        } catch (Throwable error) { // the timer lives
            final Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
        }
    }

    private void sleep() {
        final long planned = wakeTick();
        wakeAt = planned;
        // full fence: write wakeAt before looking again; pairs with the fence in schedule
        VarHandle.fullFence();
        // Never longer than wakeAt says, though what it stood for may be cancelled by now: others rely on it.
        final long next = Math.min(planned, wakeTick());
        if (next == Long.MAX_VALUE) {
            if (!stopped) {
                LockSupport.park(this);
            }
        } else {
            final long pause = (next << TICK_BITS) - (System.nanoTime() - origin);
            if (pause > 0 && !stopped) {
                LockSupport.parkNanos(this, pause);
            }
        }
        wakeAt = AWAKE;
        Thread.interrupted();
    }

    private static RejectedExecutionException stoppedException() {
        return new RejectedExecutionException("the scheduler has terminated and starts no timers");
    }

    private long wakeTick() {
        long next = Long.MAX_VALUE;
        for (Shard shard : shards) {
            next = Math.min(next, shard.wakeTick());
        }
        return next;
    }

    private long tickAt(long nanoTime) {
        return (nanoTime - origin) >>> TICK_BITS;
    }

    /** A wheel and its lock. */
    static final class Shard {
        private final TimerWheel wheel = new TimerWheel(0);
        private boolean closed;

        synchronized void insert(Timeout timeout, long tick) {
            if (closed) {
                throw stoppedException();
            }
            if (timeout.shard != null) {
                throw new IllegalStateException("a timeout was started before: " + timeout);
            }
            timeout.shard = this;
            timeout.setTick(tick);
            wheel.insert(timeout);
        }

        /** Takes out everything, due or not; nothing can be inserted any more. */
        synchronized @Nullable Timeout close() {
            closed = true;
            return wheel.advance(TimerWheel.MAX_TICK);
        }

        synchronized boolean cancel(Timeout timeout) {
            if (!wheel.remove(timeout)) {
                return false;
            }
            timeout.forget();
            return true;
        }

        synchronized @Nullable Timeout takeDue(long tick) {
            return wheel.advance(tick);
        }

        synchronized long wakeTick() {
            return wheel.wakeTick();
        }
    }
}
