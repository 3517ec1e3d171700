package dev.latencyhiding.benchmarks.figures;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.LockSupport;

/**
 * CPU time that a scheduler's threads use per second when nothing happens, and under a trickle of
 * empty nodes from outside.
 */
final class CpuFigure {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private CpuFigure() {}

    /**
     * Runs one peer for some seconds.
     *
     * @param pauseNanos between two nodes; 0 for no nodes at all
     * @return milliseconds of CPU per second
     */
    static double measure(Peer peer, int parallelism, long pauseNanos, double seconds) {
        final Set<Long> others = ids();
        final ExecutorService executor = peer.start(parallelism);
        trickle(executor, pauseNanos, 0.5); // warm up, then settle
        trickle(executor, 0, 0.5);
        final Map<Long, Long> before = cpuTimes(others);
        final long begun = System.nanoTime();
        trickle(executor, pauseNanos, seconds);
        final double took = (System.nanoTime() - begun) / 1e9;
        long used = 0;
        for (Map.Entry<Long, Long> after : cpuTimes(others).entrySet()) {
            used += after.getValue() - before.getOrDefault(after.getKey(), 0L);
        }
        executor.shutdown();
        return used / 1e6 / took;
    }

    private static void trickle(ExecutorService executor, long pauseNanos, double seconds) {
        final long end = System.nanoTime() + (long) (seconds * 1e9);
        while (System.nanoTime() - end < 0) {
            if (pauseNanos > 0) {
                executor.execute(() -> {});
                LockSupport.parkNanos(pauseNanos);
            } else {
                LockSupport.parkNanos(end - System.nanoTime());
            }
        }
    }

    private static Set<Long> ids() {
        final Set<Long> ids = new HashSet<>();
        for (long id : THREADS.getAllThreadIds()) {
            ids.add(id);
        }
        return ids;
    }

    private static Map<Long, Long> cpuTimes(Set<Long> others) {
        final Map<Long, Long> times = new HashMap<>();
        for (long id : THREADS.getAllThreadIds()) {
            final long time = others.contains(id) ? -1 : THREADS.getThreadCpuTime(id);
            if (time >= 0) {
                times.put(id, time);
            }
        }
        return times;
    }
}
