package dev.latencyhiding.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads and writes files as a whole, in blocks, so that a cancelled operation stops soon. */
final class WholeFile {
    /** The largest array that every JVM can make. */
    static final int MAX_BYTES = Integer.MAX_VALUE - 8;

    private static final List<OpenOption> CREATE_OR_REPLACE =
            List.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING);

    private WholeFile() {}

    static FileTask<byte[]> read(Path path, int limit) {
        Objects.requireNonNull(path, "path");
        if (limit < 0 || limit > MAX_BYTES) {
            throw new IllegalArgumentException("limit must be from 0 to " + MAX_BYTES + ": " + limit);
        }
        return FileTask.start("read", path, task -> {
            try (SeekableByteChannel channel = Files.newByteChannel(path)) {
                return readAll(channel, limit, task);
            }
        });
    }

    private static byte[] readAll(SeekableByteChannel channel, int limit, FileTask<?> task) throws IOException {
        final long size = channel.size();
        if (size > limit) {
            throw FileErrors.tooLarge(size, limit);
        }
        byte[] bytes = new byte[(int) size];
        int count = 0;
        while (true) {
            count += fill(channel, ByteBuffer.wrap(bytes, count, bytes.length - count), task);
            if (count < bytes.length) {
                return Arrays.copyOf(bytes, count);
            }
            // The size is a hint only: a file may grow, and those of /proc claim to be empty.
            final ByteBuffer more = ByteBuffer.allocate(1);
            if (channel.read(more) < 0) {
                return bytes;
            }
            if (count == limit) {
                throw FileErrors.tooLarge(Math.max(channel.size(), count + 1L), limit);
            }
            bytes = Arrays.copyOf(bytes, (int) Math.min(limit, Math.max(2L * count, BlockTransfer.BYTES)));
            bytes[count++] = more.get(0);
        }
    }

    /** Reads until the buffer is full or the file ends. Returns how many bytes. */
    private static int fill(SeekableByteChannel channel, ByteBuffer buffer, FileTask<?> task) throws IOException {
        final int begin = buffer.position();
        while (buffer.hasRemaining() && BlockTransfer.next(buffer, task, channel::read) >= 0) {
            // the rest
        }
        return buffer.position() - begin;
    }

    /**
     * Writes what is between the buffer's position and limit.
     *
     * @param options how to open it; none to create it, or to replace what it contains
     */
    static FileTask<@Nullable Void> write(Path path, ByteBuffer content, OpenOption... options) {
        Objects.requireNonNull(path, "path");
        final Set<OpenOption> how = new HashSet<>(options.length == 0 ? CREATE_OR_REPLACE : List.of(options));
        how.add(StandardOpenOption.WRITE); // may be left out, as with Files.write
        final ByteBuffer rest = content.duplicate();
        return FileTask.start("write", path, task -> {
            try (SeekableByteChannel channel = Files.newByteChannel(path, how)) {
                while (rest.hasRemaining()) {
                    BlockTransfer.next(rest, task, channel::write);
                }
            }
            return null;
        });
    }
}
