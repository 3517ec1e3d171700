package dev.latencyhiding.benchmarks.compare;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits until this JVM has nothing to do. After a program has run for the first time, the compiler is busy for a while,
 * and whatever is measured meanwhile shares the processors with it: the more code a dispatcher has, the longer.
 */
final class QuietJvm {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** A compiler that is busy uses a whole processor. */
    private static final double BUSY = 0.3;

    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private QuietJvm() {}

    /** Returns when hardly any CPU time is used, but in any case soon: a dispatcher may never be idle. */
    static void await() {
        final long begun = System.nanoTime();
        long before = begun;
        long cpuBefore = cpuNanos();
        while (before - begun < LIMIT_NANOS) {
            LockSupport.parkNanos(LOOK_NANOS);
            final long now = System.nanoTime();
            final long cpu = cpuNanos();
            if (now - before >= LOOK_NANOS && cpu - cpuBefore < BUSY * (now - before)) {
                break;
            }
            before = now;
            cpuBefore = cpu;
        }
    }

    private static long cpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }
}
