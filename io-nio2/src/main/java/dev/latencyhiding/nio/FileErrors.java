package dev.latencyhiding.nio;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Makes the JDK's exceptions say what could not be done, and to which file: theirs name only the file, or
 * nothing at all. The types stay those a caller would look for.
 */
final class FileErrors {
    private FileErrors() {}

    /** The error of an operation on a file, as the caller is to see it. */
    static Throwable explained(String operation, Path path, Throwable e) {
        if (e instanceof FileSystemException f) {
            return named(operation, path, f);
        }
        if (e instanceof ClosedChannelException) {
            return new Closed(message(operation, path, "it is closed"), e);
        }
        if (e instanceof NonReadableChannelException) {
            return new NotReadable(message(operation, path, "it is not open for reading"), e);
        }
        if (e instanceof NonWritableChannelException) {
            return new NotWritable(message(operation, path, "it is not open for writing"), e);
        }
        if (e instanceof OverlappingFileLockException) {
            return new Overlapping(
                    message(operation, path, "this process holds, or waits for, a lock that overlaps with it"), e);
        }
        if (e instanceof IOException io) {
            return caused(new FileSystemException(path.toString(), null, cannot(operation, reason(path, io))), e);
        }
        return e;
    }

    static IOException tooLarge(long size, int limit) {
        return new IOException("its " + size + " bytes are more than the limit of " + limit);
    }

    private static FileSystemException named(String operation, Path path, FileSystemException e) {
        final String file = e.getFile() == null ? path.toString() : e.getFile();
        final String other = e.getOtherFile();
        if (e instanceof NoSuchFileException) {
            return caused(new NoSuchFileException(file, other, cannot(operation, "there is no such file")), e);
        }
        if (e instanceof AccessDeniedException) {
            return caused(new AccessDeniedException(file, other, cannot(operation, "access is denied")), e);
        }
        if (e instanceof FileAlreadyExistsException) {
            return caused(new FileAlreadyExistsException(file, other, cannot(operation, "it exists already")), e);
        }
        return caused(new FileSystemException(file, other, cannot(operation, reason(path, e))), e);
    }

    private static String reason(Path path, IOException e) {
        // The system opens directories for reading, and fails later.
        if (Files.isDirectory(path)) {
            return "it is a directory";
        }
        final String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
        return reason == null ? e.toString() : reason;
    }

    private static String message(String operation, Path path, String reason) {
        return path + ": " + cannot(operation, reason);
    }

    private static String cannot(String operation, String reason) {
        return "cannot " + operation + ": " + reason;
    }

    private static <E extends Throwable> E caused(E error, Throwable cause) {
        error.initCause(cause);
        return error;
    }

    // The JDK's classes take no message.

    private static final class Closed extends ClosedChannelException {
        private static final long serialVersionUID = 1;

        private final String message;

        Closed(String message, Throwable cause) {
            this.message = message;
            initCause(cause);
        }

        @Override
        public @Nullable String getMessage() {
            return message;
        }
    }

    private static final class NotReadable extends NonReadableChannelException {
        private static final long serialVersionUID = 1;

        private final String message;

        NotReadable(String message, Throwable cause) {
            this.message = message;
            initCause(cause);
        }

        @Override
        public @Nullable String getMessage() {
            return message;
        }
    }

    private static final class NotWritable extends NonWritableChannelException {
        private static final long serialVersionUID = 1;

        private final String message;

        NotWritable(String message, Throwable cause) {
            this.message = message;
            initCause(cause);
        }

        @Override
        public @Nullable String getMessage() {
            return message;
        }
    }

    private static final class Overlapping extends OverlappingFileLockException {
        private static final long serialVersionUID = 1;

        private final String message;

        Overlapping(String message, Throwable cause) {
            this.message = message;
            initCause(cause);
        }

        @Override
        public @Nullable String getMessage() {
            return message;
        }
    }
}
