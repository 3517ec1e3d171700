package dev.latencyhiding.nio;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread that a channel group makes itself, beside the {@linkplain Poller pollers} it was given. While they get
 * something done it steps aside: else each event would wake it up, to wait for the next in turns with them. It looks
 * after them every millisecond, and takes part when they do nothing: because nothing happens, because what they run
 * takes long or blocks, or because a wake-up was lost ({@link IoGroup}). It runs no coroutines itself, so that
 * somebody always waits for the sockets.
 */
final class StandIn {
    private static final long LOOK_NANOS = 1_000_000;

    private final Pollers pollers;

    /** What the pollers had completed when this thread last looked. Used by this thread only. */
    private long seen;

    private volatile @Nullable Thread waiting;

    StandIn(Pollers pollers) {
        this.pollers = pollers;
    }

    /** To be called by the stand-in when it has completed something. Returns when it should take part. */
    void stepAside() {
        for (long completed; (completed = pollers.completed()) != seen && !pollers.isEnded(); ) {
            seen = completed;
            waiting = Thread.currentThread();
            LockSupport.parkNanos(this, LOOK_NANOS);
        }
    }

    /** The pollers have been ended: the stand-in must see that. */
    void wakeUp() {
        LockSupport.unpark(waiting);
    }
}
