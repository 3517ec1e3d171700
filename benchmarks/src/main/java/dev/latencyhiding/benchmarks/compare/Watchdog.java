package dev.latencyhiding.benchmarks.compare;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends the JVM when a run takes too long, after printing what each thread does: a hang is a finding, and must not hold
 * up the other dispatchers.
 */
final class Watchdog {
    static final int EXIT_STATUS = 3;

    private final Duration limit;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "watchdog");
        thread.setDaemon(true);
        return thread;
    });
    private @Nullable Future<?> armed;

    Watchdog(Duration limit) {
        this.limit = limit;
    }

    void arm(String what) {
        armed = timer.schedule(() -> giveUp(what), limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    void disarm() {
        if (armed != null) {
            armed.cancel(false);
        }
    }

    private void giveUp(String what) {
        System.err.println("Not finished after " + limit.toSeconds() + " s: " + what);
        for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true)) {
            System.err.print(thread);
        }
        System.err.flush();
        Runtime.getRuntime().halt(EXIT_STATUS);
    }
}
