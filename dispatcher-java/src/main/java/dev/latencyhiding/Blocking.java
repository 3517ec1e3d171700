package dev.latencyhiding;

import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** A thread that waits for a future: if it is a worker's, a spare worker takes its place meanwhile. */
final class Blocking {
    /** Looks before a worker blocks: less than starting a thread costs. Not tuned. */
    private static final int SPINS = 256;

    private Blocking() {}

    /** Returns what {@link #end} is to be told: null if the thread is no worker, or need not wait. */
    static @Nullable Watchdog begin(Future<?> future) {
        final Worker worker = future.isDone() ? null : Worker.current();
        if (worker == null) {
            return null;
        }
        for (int i = 0; i < SPINS; i++) {
            Thread.onSpinWait();
            if (future.isDone()) {
                return null;
            }
        }
        final Watchdog watchdog = worker.core.watchdog;
        watchdog.beginBlocking();
        return watchdog;
    }

    static void end(@Nullable Watchdog watchdog) {
        if (watchdog != null) {
            watchdog.endBlocking();
        }
    }
}
