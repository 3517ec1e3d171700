package dev.latencyhiding.nio;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads that wait for the disk: no operating system we run on reads files without blocking a thread,
 * and these are not the workers. Bounded, since more requests at a time make no disk faster; further
 * operations queue. Threads start on demand and end when idle.
 */
final class FileThreads {
    /** Enough to keep the queue of a disk filled. Not tuned. */
    private static final int DEFAULT_THREADS = 16;

    private static final int MAX_THREADS = 1024;
    private static final long KEEP_ALIVE_SECONDS = 5;

    private static volatile @Nullable Executor shared;

    private FileThreads() {}

    /** The pool of the process, made on first use. */
    static Executor shared() {
        final Executor made = shared;
        return made != null ? made : makeShared();
    }

    /** Not in a static initialiser: that would hide a bad system property behind other errors. */
    private static synchronized Executor makeShared() {
        Executor made = shared;
        if (made == null) {
            made = pool(threads(System.getProperty(AsyncFiles.THREADS_PROPERTY)));
            shared = made;
        }
        return made;
    }

    static int threads(@Nullable String property) {
        if (property == null) {
            return DEFAULT_THREADS;
        }
        int threads;
        try {
            threads = Integer.parseInt(property.strip());
        } catch (NumberFormatException e) {
            threads = 0;
        }
        if (threads < 1 || threads > MAX_THREADS) {
            throw new IllegalArgumentException("system property " + AsyncFiles.THREADS_PROPERTY
                    + " must be a number from 1 to " + MAX_THREADS + ": " + property);
        }
        return threads;
    }

    static ThreadPoolExecutor pool(int threads) {
        final AtomicInteger count = new AtomicInteger();
        final ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, KEEP_ALIVE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    // No inherited thread locals: they would keep whatever the creating thread had alive.
                    final Thread thread =
                            new Thread(null, task, "LatencyHiding-file-" + count.incrementAndGet(), 0, false);
                    thread.setDaemon(true);
                    thread.setContextClassLoader(FileThreads.class.getClassLoader());
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }
}
