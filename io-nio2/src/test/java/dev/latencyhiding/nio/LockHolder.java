package dev.latencyhiding.nio;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Another process that holds a lock: from the time it says so until its input ends. */
final class LockHolder {
    private LockHolder() {}

    public static void main(String[] args) throws IOException {
        try (FileChannel channel = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE);
                FileLock lock = channel.lock(Long.parseLong(args[1]), Long.parseLong(args[2]), false)) {
            System.out.println("locked " + lock.isValid());
            while (System.in.read() >= 0) {
                // until the end
            }
        }
    }
}
