package dev.latencyhiding.nio;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Direct buffers for connections. A connection has one for reading while it reads or has unread bytes, and one
 * for writing while it has unsent bytes.
 */
final class BufferPool {
    /** Bytes of a buffer. */
    static final int SIZE = 8 * 1024;

    /** As many unused buffers are kept; more are left to the garbage collector. Not tuned. */
    private static final int MAX_UNUSED = 1024;

    static final BufferPool SHARED = new BufferPool();

    private final ArrayDeque<Chunk> unused = new ArrayDeque<>();
    private final AtomicInteger lent = new AtomicInteger();

    /** An empty chunk. */
    Chunk take() {
        lent.incrementAndGet();
        synchronized (unused) {
            final Chunk chunk = unused.pollLast(); // the warmest
            if (chunk != null) {
                return chunk;
            }
        }
        return new Chunk(SIZE);
    }

    /** The caller and the channel are through with it. */
    void give(Chunk chunk) {
        lent.decrementAndGet();
        if (chunk.capacity() != SIZE) {
            return; // it had grown
        }
        chunk.clear();
        synchronized (unused) {
            if (unused.size() < MAX_UNUSED) {
                unused.addLast(chunk);
            }
        }
    }

    /** Chunks that were taken and not given back. */
    int lent() {
        return lent.get();
    }
}
