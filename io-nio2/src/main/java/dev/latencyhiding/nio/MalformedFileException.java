package dev.latencyhiding.nio;

import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;

/** The bytes of a file are no text in the expected character set, or a text cannot be written in it. */
public final class MalformedFileException extends CharacterCodingException {
    private static final long serialVersionUID = 1;

    private final String file;
    private final long position;
    private final String problem;

    MalformedFileException(Path file, long position, String problem) {
        this.file = file.toString();
        this.position = position;
        this.problem = problem;
    }

    /**
     * The file.
     *
     * @return its path
     */
    public String file() {
        return file;
    }

    /**
     * Where it begins: an offset in bytes when reading, in characters when writing.
     *
     * @return the offset from the beginning, which has 0
     */
    public long position() {
        return position;
    }

    @Override
    public String getMessage() {
        return file + ": " + problem + " at " + position;
    }
}
