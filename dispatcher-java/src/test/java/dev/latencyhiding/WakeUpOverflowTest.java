package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Waking somebody with hardly any stack left: it is done, or nothing has happened. The gate here needs less stack than
 * that of a thread, so this tests the order of the steps in IdleWorkers, not whether StackRoom asks for enough: it
 * passes without StackRoom.
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
        public void unpark() {
            unparked++;
        }
    }

    private final CountingGate gate = new CountingGate();
    private final IdleWorkers.Sleeper sleeper = new IdleWorkers.Sleeper(gate);
    private final IdleWorkers idle = new IdleWorkers(1, () -> false, StackRoom::toWake, () -> {});

    private int deepest;

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
    void signal_nearEndOfStack_wakesOrChangesNothing() throws InterruptedException {
        assertConsistentAtEachDepth(idle::signal);
    }

    @Test
    void signalToOne_nearEndOfStack_wakesOrChangesNothing() throws InterruptedException {
        assertConsistentAtEachDepth(() -> idle.signal(sleeper));
    }

    private void assertConsistentAtEachDepth(Runnable signal) throws InterruptedException {
        final int[] woken = new int[1];
        final int[] overflows = new int[1];
        final Throwable[] failure = new Throwable[1];
        final Thread thread = new Thread(
                null,
                () -> {
                    for (int above = 0; above < FRAMES; above++) {
                        idle.announceSleep(sleeper, false);
                        gate.unparked = 0;
                        final int max = framesOnThisStack(signal); // changes when the compiler was at work
                        try {
                            descend(Math.max(0, max - above), signal);
                        } catch (StackOverflowError e) {
                            overflows[0]++;
                        }
                        woken[0] += gate.unparked;
                        assertEquals(gate.unparked, idle.searchers(), above + " frames above the end");
                        assertEquals(1 - gate.unparked, idle.sleepers(), above + " frames above the end");
                        idle.cancelSleep(sleeper); // a searcher in either case
                        idle.stopSearching();
                    }
                },
                "deep",
                STACK_BYTES);
        thread.setUncaughtExceptionHandler((t, e) -> failure[0] = e);
        thread.start();
        thread.join();
        if (failure[0] != null) {
            throw new AssertionError(failure[0]);
        }
        assertTrue(overflows[0] > 0, "no overflow: begin deeper");
        assertTrue(woken[0] > 0, "nothing but overflows: begin further above");
    }
}
