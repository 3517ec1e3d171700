package dev.latencyhiding.nio;

import java.io.IOException;

/** A line is longer than the reader's limit. */
public final class TooLongLineException extends IOException {
    private static final long serialVersionUID = 1;

    /**
     * Made where lines are read.
     *
     * @param message says where, and which limit
     */
    public TooLongLineException(String message) {
        super(message);
    }
}
