package dev.latencyhiding.nio;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads or writes the next block of a buffer. */
@FunctionalInterface
interface BlockTransfer {
    /**
     * The JDK copies a block through memory outside the heap, and keeps that for the thread: large enough to make
     * the calls cheap, small enough to have one for each thread. Not tuned.
     */
    int BYTES = 256 * 1024;

    int apply(ByteBuffer block) throws IOException;

    /**
     * Transfers a block of the buffer at most, and advances the buffer by what was transferred.
     *
     * @return what the transfer returned: how many bytes, or -1 at the end of the file
     */
    static int next(ByteBuffer buffer, FileTask<?> task, BlockTransfer transfer) throws IOException {
        task.checkStopped();
        final ByteBuffer block = buffer.duplicate();
        block.limit(block.position() + Math.min(block.remaining(), BYTES));
        final int count = transfer.apply(block);
        buffer.position(block.position());
        return count;
    }
}
