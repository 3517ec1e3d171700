package dev.latencyhiding.nio;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread that a channel group makes itself, beside the {@linkplain Poller pollers} it was given. While they get
 * something done it steps aside: else each event would wake it up, to wait for the next in turns with them. It looks
 * after them every millisecond, and takes part when they do nothing: because nothing happens, because what they run
 * takes long or blocks, or because a wake-up was lost ({@link IoGroup}).
 */
final class StandIn {
    private static final long LOOK_NANOS = 1_000_000;

    private final List<Poller> pollers = new CopyOnWriteArrayList<>();

    /** What the pollers had completed when this thread last looked. Used by this thread only. */
    private long seen;

    private volatile @Nullable Thread waiting;
    private volatile boolean ended;

    void add(Poller poller) {
        pollers.add(poller);
    }

    void remove(Poller poller) {
        pollers.remove(poller);
    }

    int pollers() {
        return pollers.size();
    }

    /** To be called by the stand-in when it has completed something. Returns when it should take part. */
    void stepAside() {
        for (long completed; (completed = completed()) != seen && !ended; ) {
            seen = completed;
            waiting = Thread.currentThread();
            LockSupport.parkNanos(this, LOOK_NANOS);
        }
    }

    private long completed() {
        long completed = 0;
        for (Poller poller : pollers) {
            completed += poller.completed();
        }
        return completed;
    }

    /** The group was closed: the stand-in must see that. */
    void end() {
        ended = true;
        LockSupport.unpark(waiting);
    }
}
