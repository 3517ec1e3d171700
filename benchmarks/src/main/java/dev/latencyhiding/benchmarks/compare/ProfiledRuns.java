package dev.latencyhiding.benchmarks.compare;

import com.sun.management.OperatingSystemMXBean;
import dev.latencyhiding.benchmarks.Profile.Method;
import dev.latencyhiding.benchmarks.Profile.Part;
import java.lang.management.ManagementFactory;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * What the processors did while a program ran several times in this JVM, for one run, in milliseconds.
 *
 * @param parts processor time; with what was idle it is all that the processors had
 * @param hottest the methods with the most of it
 */
record ProfiledRuns(Map<Part, Double> parts, List<Method> hottest) {
    private static final int HOTTEST = 6;
    private static final double NANOS_PER_MILLI = 1e6;

    /**
     * Runs the program, and again until the time is over.
     *
     * @param millis how long at least
     */
    static ProfiledRuns of(Callable<?> program, long millis) throws Exception {
        Breakdown breakdown = new Breakdown();
        Sampling.start("interval=250us");
        long took;
        long cpu;
        int runs = 0;
        try {
            long cpuBefore = cpuNanos();
            long begun = System.nanoTime();
            do {
                program.call();
                runs++;
                took = System.nanoTime() - begun;
            } while (took < millis * NANOS_PER_MILLI);
            cpu = cpuNanos() - cpuBefore;
        } finally {
            Sampling.execute("stop");
        }
        breakdown.add(Sampling.execute("collapsed,threads,norm"));
        return of(breakdown, cpu / NANOS_PER_MILLI / runs, took / NANOS_PER_MILLI / runs);
    }

    /** The system knows better than the number of samples how much time was used. */
    private static ProfiledRuns of(Breakdown breakdown, double cpu, double took) {
        Map<Part, Double> parts = new EnumMap<>(Part.class);
        breakdown.shares().forEach((part, share) -> parts.put(part, share * cpu));
        parts.put(Part.IDLE, Math.max(0, took * Runtime.getRuntime().availableProcessors() - cpu));
        List<Method> hottest = breakdown.hottest(HOTTEST).stream()
                .map(method -> new Method(method.method(), method.share() * cpu))
                .toList();
        return new ProfiledRuns(parts, hottest);
    }

    private static long cpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }
}
