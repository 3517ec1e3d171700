package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Waking somebody with hardly any stack left: it is done, or nothing has happened. With a gate that counts this tests
 * the order of the steps in IdleWorkers, with that of a thread whether StackRoom asks for enough: without
 * {@code beforeWake.run()} in IdleWorkers.wakeOne, or with no frames in StackRoom, the last test fails.
 */
@Timeout(120)
class WakeUpOverflowTest {
    private static final int STACK_BYTES = 512 * 1024;

    /** How far above the deepest frame to begin. A frame of {@code descend} has some fifty bytes or more. */
    private static final int FRAMES = 400;

    private static final class CountingGate implements Gate {
        int unparked;

        @Override
        public void park() {
            throw new AssertionError("nobody sleeps here");
        }

        @Override
        public void parkNanos(long nanos) {
            park();
        }

        @Override
        public void unpark() {
            unparked++;
        }
    }

    private final IdleWorkers idle = new IdleWorkers(1, () -> false, StackRoom::toWake, () -> {});
    private int deepest;
    private int woken;
    private int overflows;

    private void descend(int frames, Runnable atTheEnd) {
        if (frames == 0) {
            atTheEnd.run();
        } else {
            deepest++;
            descend(frames - 1, atTheEnd);
        }
    }

    private int framesOnThisStack(Runnable atTheEnd) {
        deepest = 0;
        try {
            descend(Integer.MAX_VALUE, atTheEnd);
        } catch (StackOverflowError expected) {
            return deepest;
        }
        throw new AssertionError("a stack without end");
    }

    @Test
    void signal_nearEndOfStack_wakesOrChangesNothing() {
        final CountingGate gate = new CountingGate();
        assertConsistentAtEachDepth(gate, new IdleWorkers.Sleeper(gate), idle::signal);
    }

    @Test
    void signalToOne_nearEndOfStack_wakesOrChangesNothing() {
        final CountingGate gate = new CountingGate();
        final IdleWorkers.Sleeper sleeper = new IdleWorkers.Sleeper(gate);
        assertConsistentAtEachDepth(gate, sleeper, () -> idle.signal(sleeper));
    }

    private void assertConsistentAtEachDepth(CountingGate gate, IdleWorkers.Sleeper sleeper, Runnable signal) {
        atEachDepth(above -> {
            idle.announceSleep(sleeper, false);
            gate.unparked = 0;
            signalFrom(above, signal);
            woken += gate.unparked;
            assertEquals(gate.unparked, idle.searchers(), above + " frames above the end");
            assertEquals(1 - gate.unparked, idle.sleepers(), above + " frames above the end");
            idle.cancelSleep(sleeper); // a searcher in either case
            idle.stopSearching();
        });
    }

    @Test
    void signal_nearEndOfStack_unparksThreadThatCountsAsWoken() {
        final IdleWorkers.Sleeper sleeper = new IdleWorkers.Sleeper(new Gate.OfThread());
        final Semaphore rounds = new Semaphore(0);
        final Semaphore awake = new Semaphore(0);
        final Thread sleeping = new Thread(() -> {
            for (int round = 0; round < FRAMES; round++) {
                rounds.acquireUninterruptibly();
                idle.announceSleep(sleeper, false);
                idle.park(sleeper);
                idle.stopSearching();
                awake.release();
            }
        });
        sleeping.setDaemon(true);
        sleeping.start();
        atEachDepth(above -> {
            rounds.release();
            while (idle.sleepers() == 0 || sleeping.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            signalFrom(above, idle::signal);
            if (idle.sleepers() == 1) {
                idle.signal(); // nothing had happened
            } else {
                woken++;
            }
            assertTrue(awake.tryAcquire(20, TimeUnit.SECONDS), above + " frames above the end: woken, but asleep");
        });
    }

    private void signalFrom(int framesAboveEnd, Runnable signal) {
        final int max = framesOnThisStack(signal); // changes when the compiler was at work
        try {
            descend(Math.max(0, max - framesAboveEnd), signal);
        } catch (StackOverflowError e) {
            overflows++;
        }
    }

    private interface Step {
        void at(int framesAboveEnd) throws InterruptedException;
    }

    private void atEachDepth(Step step) {
        final FutureTask<@Nullable Void> steps = new FutureTask<>(() -> {
            for (int above = 0; above < FRAMES; above++) {
                step.at(above);
            }
            return null;
        });
        final Thread thread = new Thread(null, steps, "deep", STACK_BYTES);
        thread.setDaemon(true);
        thread.start();
        assertDoesNotThrow(() -> steps.get());
        assertTrue(overflows > 0, "no overflow: begin deeper");
        assertTrue(woken > 0, "nothing but overflows: begin further above");
    }
}
