package dev.latencyhiding.nio;

import java.nio.ByteBuffer;

/**
 * A buffer with two views of it, so that one side can take bytes out while the other puts some in behind them.
 * The bytes that are there lie between the position and the limit of {@code head}.
 */
final class Chunk {
    final ByteBuffer head;

    /** From the end of the bytes to the end of the buffer, after {@link #makeRoom}. */
    final ByteBuffer tail;

    Chunk(int capacity) {
        head = ByteBuffer.allocateDirect(capacity);
        tail = head.duplicate();
        clear();
    }

    int capacity() {
        return head.capacity();
    }

    void clear() {
        head.position(0).limit(0);
        tail.position(0).limit(0);
    }

    /** Makes {@code tail} the free part, and moves the bytes to the front if there is no room behind them. */
    void makeRoom() {
        if (!head.hasRemaining()) {
            head.position(0).limit(0);
        } else if (head.limit() == head.capacity() && head.position() > 0) {
            head.compact().flip();
        }
        tail.limit(tail.capacity()).position(head.limit());
    }

    boolean isFull() {
        return head.remaining() == head.capacity();
    }

    int room() {
        return head.capacity() - head.remaining();
    }

    /** After bytes were put into {@code tail}. */
    void takeOver(int count) {
        head.limit(head.limit() + count);
    }

    /** Puts in as many bytes as fit, which are taken out of {@code source}. */
    void put(ByteBuffer source) {
        makeRoom();
        if (head.position() > 0 && tail.remaining() < source.remaining()) {
            head.compact().flip();
            tail.position(head.limit());
        }
        final int count = Math.min(source.remaining(), tail.remaining());
        final int end = source.limit();
        source.limit(source.position() + count);
        tail.put(source);
        source.limit(end);
        takeOver(count);
    }

    /** A larger one with the same bytes. */
    Chunk grown(int capacity) {
        final Chunk larger = new Chunk(capacity);
        larger.put(head);
        return larger;
    }
}
