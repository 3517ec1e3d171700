package dev.latencyhiding;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Where one thread sleeps. A seam for tests: a model checker lets {@code LockSupport.park} return at
 * any time, which hides a lost wake-up, so the tests put a monitor here.
 */
interface Gate {
    /** Called by the sleeping thread. May return early. An unpark that came before is not lost. */
    void park();

    /** Called by any thread. */
    void unpark();

    /** The gate in production. Its thread is the one that parked last. */
    final class OfThread implements Gate {
        private volatile @Nullable Thread thread;

        @Override
        public void park() {
            thread = Thread.currentThread();
            LockSupport.park(this);
            Thread.interrupted(); // else the next park would return at once, and so on
        }

        @Override
        public void unpark() {
            LockSupport.unpark(thread);
        }
    }
}
