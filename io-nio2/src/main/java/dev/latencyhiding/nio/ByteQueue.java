package dev.latencyhiding.nio;

import java.nio.ByteBuffer;

/** Bytes in memory, first in, first out. Any thread may put in and take out. It has no limit. */
final class ByteQueue {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** Ready to be read; replaced by a larger one, and dropped when it is empty. */
    private ByteBuffer bytes = NOTHING;

    /** Takes all bytes of {@code source}. */
    synchronized void put(ByteBuffer source) {
        final int needed = bytes.remaining() + source.remaining();
        final ByteBuffer larger;
        if (needed <= bytes.capacity()) {
            larger = bytes.compact();
        } else {
            larger = ByteBuffer.allocate(Math.max(needed, 2 * bytes.capacity())).put(bytes);
        }
        bytes = larger.put(source).flip();
    }

    /** Moves as many bytes as have room; returns their number. */
    synchronized int moveTo(ByteBuffer target) {
        final int count = Math.min(bytes.remaining(), target.remaining());
        final int end = bytes.limit();
        target.put(bytes.limit(bytes.position() + count));
        bytes.limit(end);
        dropIfEmpty();
        return count;
    }

    /** Moves as many bytes as have room; returns false if there are none. */
    synchronized boolean moveTo(Chunk target) {
        if (!bytes.hasRemaining()) {
            return false;
        }
        target.put(bytes);
        dropIfEmpty();
        return true;
    }

    private void dropIfEmpty() {
        if (!bytes.hasRemaining()) {
            bytes = NOTHING;
        }
    }

    synchronized boolean isEmpty() {
        return !bytes.hasRemaining();
    }
}
