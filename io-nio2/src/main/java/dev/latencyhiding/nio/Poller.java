package dev.latencyhiding.nio;

import dev.latencyhiding.CompletionThread;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a channel group, which waits for the sockets and completes what they are ready for. It counts what it
 * has completed, so that others see that it goes on. The first of a group always takes part; the others help it
 * while there is too much to do for those that do.
 *
 * <pre>
 * a helper is   until                                       and is then
 * -----------   -----------------------------------------   ------------------------------
 * aside         another poller was busy for a whole slice   helping, its thread started
 * helping       it had too little to do in a slice itself   aside, at least for its pause
 * either        the group is closed                         ended
 * </pre>
 *
 * <p>Why not all of them all the time: two that share what one can do wait for each other at every message. A
 * ping-pong on one connection does 80 thousand round trips in a second with one poller and 30 with two; with
 * 64 connections it is 82 and 107.
 */
final class Poller extends CompletionThread {
    private static final VarHandle COMPLETED = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "completed", VarHandle.class, Poller.class, long.class);

    private static final long SLICE_NANOS = 4_000_000;

    /** Of a processor: who uses as much calls for help. */
    private static final double BUSY = 0.9;

    /** Of a processor: who uses less does not help. With one connection two pollers use 0.55, with two 0.93. */
    private static final double HELPFUL = 0.75;

    /** How long to stay aside: longer each time that helping was of no use for long. */
    private static final long FIRST_PAUSE_NANOS = 10_000_000;

    private static final long LONGEST_PAUSE_NANOS = 250_000_000;
    private static final long USEFUL_NANOS = 10 * SLICE_NANOS;

    private final Pollers group;
    private final boolean helps;

    /** Written by this thread only. */
    private long completed;

    /** Handlers that this thread is in, one inside the other. */
    private int handlers;

    private final Load load = new Load();

    /** Whether it takes part, or is about to. Who sets it starts the thread or wakes it up. */
    private final AtomicBoolean called = new AtomicBoolean();

    /** Guarded by {@link #called}: of whoever has set it. */
    private boolean started;

    /** Written by this thread before it clears {@link #called}; as the others. */
    private long asideUntil;

    private long pause = FIRST_PAUSE_NANOS;
    private long helpsSince;

    Poller(Pollers group, String name, Runnable task, boolean helps) {
        super(name, task);
        this.group = group;
        this.helps = helps;
        this.asideUntil = System.nanoTime();
    }

    /** The current thread, whatever it is, begins to complete an operation. Null if it is no poller. */
    static @Nullable Poller beginHandler() {
        if (Thread.currentThread() instanceof Poller poller) {
            // opaque: whole longs for readers, no order
            COMPLETED.setOpaque(poller, poller.completed + 1);
            poller.handlers++;
            return poller;
        }
        return null;
    }

    /** To be called by this thread at the end of what {@link #beginHandler} began. Returns late from a poller aside. */
    void endHandler() {
        handlers--;
        if (handlers == 0) { // else the channel of the outer one has not been left yet
            final long now = System.nanoTime();
            if (now - load.lookedAt() >= SLICE_NANOS) {
                endSlice(now);
            }
        }
    }

    private void endSlice(long now) {
        final double used = load.until(now);
        if (used >= BUSY) {
            group.callHelper(now);
        } else if (helps && used < HELPFUL) {
            pause = now - helpsSince < USEFUL_NANOS ? Math.min(2 * pause, LONGEST_PAUSE_NANOS) : FIRST_PAUSE_NANOS;
            asideUntil = now + pause;
            called.set(false);
            awaitCall();
        }
    }

    /** Any thread. False if this poller takes part already, or should not yet. */
    boolean tryCall(long now) {
        if (called.get() || now - asideUntil < 0) {
            return false;
        }
        return tryCall();
    }

    /** Any thread. */
    boolean tryCall() {
        if (!called.compareAndSet(false, true)) {
            return false;
        }
        if (started) {
            LockSupport.unpark(this);
        } else {
            started = true;
            start();
        }
        return true;
    }

    @Override
    public void run() {
        beginToHelp();
        super.run();
    }

    private void awaitCall() {
        while (!called.get() && !group.isEnded()) {
            Thread.interrupted(); // left by a coroutine perhaps: park would return at once
            LockSupport.park(this);
        }
        beginToHelp();
    }

    private void beginToHelp() {
        helpsSince = System.nanoTime();
        load.beginAt(helpsSince);
    }

    boolean helps() {
        return helps;
    }

    long completed() {
        return (long) COMPLETED.getOpaque(this);
    }
}
