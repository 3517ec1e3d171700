package dev.latencyhiding.nio;

/** Files in Java. */
public final class AsyncFiles {
    /**
     * The system property that sets how many threads wait for the disk, 16 by default: {@value}. Read when the
     * first file is used.
     */
    public static final String THREADS_PROPERTY = "dev.latencyhiding.files.threads";

    private AsyncFiles() {}
}
