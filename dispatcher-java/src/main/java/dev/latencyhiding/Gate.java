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

    /** As {@link #park}, for so long at most. */
    void parkNanos(long nanos);

    /** Called by any thread. */
    void unpark();

    /** The gate in production. Its thread is the one that parked last: a worker's thread may be replaced. */
    final class OfThread implements Gate {
        private volatile @Nullable Thread thread;

        /** Somebody has called unpark, perhaps when the thread was not known yet. */
        private volatile boolean permit;

        @Override
        public void park() {
            if (!hasPermit()) {
                LockSupport.park(this);
                Thread.interrupted(); // else the next park would return at once, and so on
            }
            permit = false;
        }

        @Override
        public void parkNanos(long nanos) {
            if (!hasPermit()) {
                LockSupport.parkNanos(this, nanos);
                Thread.interrupted(); // as above
            }
            permit = false;
        }

        private boolean hasPermit() {
            // Write the thread, then read the permit; unpark writes the permit, then reads the thread. Both are
            // volatile, so one of the two sees the other.
            thread = Thread.currentThread();
            return permit;
        }

        @Override
        public void unpark() {
            permit = true;
            LockSupport.unpark(thread);
        }
    }
}
