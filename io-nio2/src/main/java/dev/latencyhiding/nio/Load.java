package dev.latencyhiding.nio;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** How much of a processor a thread uses, from one look to the next. Used by that thread only. */
final class Load {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final boolean IS_KNOWN = THREADS.isCurrentThreadCpuTimeSupported();

    private long lookedAt;
    private long usedBefore;

    void beginAt(long now) {
        lookedAt = now;
        usedBefore = used();
    }

    long lookedAt() {
        return lookedAt;
    }

    /** From 0 to 1, since the last look; 0 where the JVM cannot tell. */
    double until(long now) {
        final long time = now - lookedAt;
        final long before = usedBefore;
        beginAt(now);
        return (double) (usedBefore - before) / time;
    }

    /** A system call, 0.2 to 0.3 µs. */
    private static long used() {
        return IS_KNOWN ? THREADS.getCurrentThreadCpuTime() : 0;
    }
}
