package dev.latencyhiding.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An open file, and what can be done with it on the {@link FileThreads}. */
final class OpenFile implements AutoCloseable {
    private final Path path;
    private final FileChannel channel;

    private OpenFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    static FileTask<OpenFile> open(Path path, OpenOption... options) {
        Objects.requireNonNull(path, "path");
        final Set<OpenOption> how = Set.copyOf(List.of(options));
        if (how.contains(StandardOpenOption.APPEND)) {
            throw new IllegalArgumentException("APPEND does not go with writes at given positions: " + path);
        }
        return FileTask.start("open", path, task -> new OpenFile(path, FileChannel.open(path, how)));
    }

    Path path() {
        return path;
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    FileTask<Integer> read(ByteBuffer buffer, long position) {
        if (buffer.isReadOnly()) {
            throw new IllegalArgumentException("cannot read into a read-only buffer: " + buffer);
        }
        requireNotNegative("position", position);
        return FileTask.start("read", path, task -> {
            final int begin = buffer.position();
            int last = 0;
            while (buffer.hasRemaining() && last >= 0) {
                last = BlockTransfer.next(
                        buffer, task, block -> channel.read(block, position + block.position() - begin));
            }
            final int count = buffer.position() - begin;
            return count == 0 && last < 0 ? -1 : count;
        });
    }

    FileTask<Integer> write(ByteBuffer buffer, long position) {
        Objects.requireNonNull(buffer, "buffer");
        requireNotNegative("position", position);
        return FileTask.start("write", path, task -> {
            final int begin = buffer.position();
            while (buffer.hasRemaining()) {
                BlockTransfer.next(buffer, task, block -> channel.write(block, position + block.position() - begin));
            }
            return buffer.position() - begin;
        });
    }

    FileTask<@Nullable FileLock> tryLock(long position, long size, boolean shared) {
        requireNotNegative("position", position);
        requireNotNegative("size", size);
        if (position + size < 0) {
            throw new IllegalArgumentException(
                    "position + size must not exceed " + Long.MAX_VALUE + ": " + position + " + " + size);
        }
        return FileTask.start("lock", path, task -> channel.tryLock(position, size, shared));
    }

    FileTask<Long> size() {
        return FileTask.start("get the size", path, task -> channel.size());
    }

    FileTask<@Nullable Void> truncate(long size) {
        requireNotNegative("size", size);
        return FileTask.start("truncate", path, task -> {
            channel.truncate(size);
            return null;
        });
    }

    FileTask<@Nullable Void> force(boolean metaData) {
        return FileTask.start("force", path, task -> {
            channel.force(metaData);
            return null;
        });
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private static void requireNotNegative(String what, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(what + " must not be negative: " + value);
        }
    }
}
