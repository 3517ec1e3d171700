package dev.latencyhiding.nio;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who uses one direction of a connection, and hence its buffer: the coroutine that reads or writes, and the
 * operation of the channel, which may outlive it. After {@link #close} nobody can begin, and the last one to
 * end gives the buffer back: never earlier, since a buffer that is given back may belong to another connection at once.
 */
abstract class Hold {
    /** A coroutine reads or writes. */
    static final int USER = 1;

    /** The channel reads into the buffer or writes from it. */
    static final int OPERATION = 2;

    private static final int CLOSED = 4;

    private final AtomicInteger state = new AtomicInteger();

    /** Returns false if it is closed, or if {@code who} has begun already. */
    final boolean tryBegin(int who) {
        for (; ; ) {
            final int seen = state.get();
            if ((seen & (who | CLOSED)) != 0) {
                return false;
            }
            if (state.compareAndSet(seen, seen | who)) {
                return true;
            }
        }
    }

    final void end(int who) {
        if (state.addAndGet(-who) == CLOSED) {
            onUnused();
        }
    }

    /** Returns false if it was closed already. */
    final boolean close() {
        final int before = state.getAndUpdate(seen -> seen | CLOSED);
        if (before == 0) {
            onUnused();
        }
        return (before & CLOSED) == 0;
    }

    final boolean isClosed() {
        return (state.get() & CLOSED) != 0;
    }

    /** Closed, and nobody uses it: called once. */
    abstract void onUnused();
}
