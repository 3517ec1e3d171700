package dev.latencyhiding;

import java.util.concurrent.Phaser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * A wake-up that comes while a thread is about to park at a gate for the first time is not lost, although
 * the gate does not know the thread yet. Hangs if {@code park} does not look at {@code permit}.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
final class GateTest {
    private static final int ROUNDS = 30_000;

    private static final class Round {
        final Gate gate = new Gate.OfThread();
        volatile boolean woken;

        void sleep() {
            while (!woken) {
                gate.park();
            }
        }

        void wake() {
            woken = true;
            gate.unpark();
        }
    }

    @Test
    void unpark_whileTheThreadParksForTheFirstTime_isNotLost() throws InterruptedException {
        final Round[] rounds = new Round[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            rounds[i] = new Round();
        }
        final Phaser together = new Phaser(2);
        final Thread sleeper = new Thread(() -> {
            for (Round round : rounds) {
                together.arriveAndAwaitAdvance();
                round.sleep();
            }
        });
        sleeper.start();
        for (Round round : rounds) {
            together.arriveAndAwaitAdvance();
            round.wake();
        }
        sleeper.join();
    }
}
