package dev.latencyhiding.benchmarks.figures;

import com.sun.management.OperatingSystemMXBean;
import dev.latencyhiding.LatencyHidingScheduler;
import dev.latencyhiding.Policy;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The three policies on the same programs, in one run, interleaved: a map and reduce with latency and
 * without, and a fork tree. {@code docs/schedulers.md} has the results.
 */
public final class PolicyFigure {
    private static final int LEAVES = 5000;
    private static final long[] WAITS = {0, 1, 5, 50};
    private static final int ROUNDS = 3;

    private static final int WARM_UP_ROUNDS = 5;

    private static final int TREE_DEPTH = 17;
    private static final int TREE_ROUNDS = 100;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private PolicyFigure() {}

    /**
     * Prints the figures.
     *
     * @param args {@code map-reduce}; {@code no-latency} with the number of rounds, 80 by default; or {@code
     *     fork-tree} with the policies to compare, all by default
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        System.out.printf(
                "JDK %s, %d processors%n",
                Runtime.version(), Runtime.getRuntime().availableProcessors());
        final String figure = args.length == 0 ? "map-reduce" : args[0];
        switch (figure) {
            case "map-reduce" -> mapReduce();
            case "no-latency" -> noLatency(args.length == 1 ? 80 : Integer.parseInt(args[1]));
            case "fork-tree" ->
                forkTree(
                        args.length == 1
                                ? Policy.values()
                                : Arrays.stream(args)
                                        .skip(1)
                                        .map(Policy::valueOf)
                                        .toArray(Policy[]::new));
            default -> throw new IllegalArgumentException("map-reduce, no-latency or fork-tree: " + figure);
        }
    }

    // ---- map and reduce ----

    private static void mapReduce() {
        System.out.printf("Map and reduce of %d leaves, seconds; median of %d%n", LEAVES, ROUNDS);
        for (int parallelism : new int[] {1, 2}) {
            final Map<Policy, double[][]> seconds = new EnumMap<>(Policy.class);
            for (Policy policy : Policy.values()) {
                seconds.put(policy, new double[WAITS.length][ROUNDS]);
            }
            for (int round = -1; round < ROUNDS; round++) { // the first warms up
                for (int w = 0; w < WAITS.length; w++) {
                    for (Policy policy : Policy.values()) {
                        final double took = mapReduce(policy, parallelism, WAITS[w], round < 0);
                        if (round >= 0) {
                            seconds.get(policy)[w][round] = took;
                        }
                    }
                }
            }
            System.out.printf("P = %d    wait in ms: %s%n", parallelism, Arrays.toString(WAITS));
            for (Policy policy : Policy.values()) {
                System.out.printf("  %-8s", policy);
                for (double[] rounds : seconds.get(policy)) {
                    Arrays.sort(rounds);
                    System.out.printf(Locale.ROOT, " %8.2f", rounds[ROUNDS / 2]);
                }
                System.out.println();
            }
        }
    }

    /** In seconds for all leaves. Where waits block, a run with fewer leaves is scaled up. */
    private static double mapReduce(Policy policy, int parallelism, long wait, boolean warmUp) {
        final int fewer = warmUp ? 25 : policy == Policy.CLASSIC ? (int) Math.max(1, wait) : 1;
        try (LatencyHidingScheduler scheduler = scheduler(policy, parallelism)) {
            return MapReduce.run(scheduler, LEAVES / fewer, wait) / 1e9 * fewer;
        }
    }

    private static LatencyHidingScheduler scheduler(Policy policy, int parallelism) {
        return LatencyHidingScheduler.builder()
                .policy(policy)
                .parallelism(parallelism)
                .build();
    }

    // ---- no latency ----

    /**
     * What hiding latency costs a program that has none: the map and reduce of a fifth of the leaves, on each policy
     * once in a round, in random order. Compared are times of the same round, so that what else the machine does
     * has less influence.
     */
    private static void noLatency(int rounds) {
        System.out.printf("No latency: times over those of CLASSIC, median of %d and its 95 %% interval%n", rounds);
        final Policy[] policies = Policy.values();
        for (int parallelism : new int[] {1, 2}) {
            final Map<Policy, double[]> wall = new EnumMap<>(Policy.class);
            final Map<Policy, double[]> cpu = new EnumMap<>(Policy.class);
            final Map<Policy, LatencyHidingScheduler> schedulers = new EnumMap<>(Policy.class);
            for (Policy policy : policies) {
                wall.put(policy, new double[rounds]);
                cpu.put(policy, new double[rounds]);
                schedulers.put(policy, scheduler(policy, parallelism));
            }
            for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
                Collections.shuffle(Arrays.asList(policies));
                for (Policy policy : policies) {
                    final long cpuBefore = processCpuNanos();
                    final double took = MapReduce.run(schedulers.get(policy), LEAVES / 5, 0);
                    if (round >= 0) {
                        wall.get(policy)[round] = took;
                        cpu.get(policy)[round] = processCpuNanos() - cpuBefore;
                    }
                }
            }
            schedulers.values().forEach(LatencyHidingScheduler::close);
            for (Policy policy : new Policy[] {Policy.PROWS_R, Policy.LHWS}) {
                System.out.printf(
                        "P = %d  %-8s wall %s   CPU %s%n",
                        parallelism,
                        policy,
                        ratio(wall.get(policy), wall.get(Policy.CLASSIC)),
                        ratio(cpu.get(policy), cpu.get(Policy.CLASSIC)));
            }
        }
    }

    private static long processCpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** The median of the ratios, and the order statistics that enclose it in 95 of 100 cases. */
    private static String ratio(double[] times, double[] units) {
        final int n = times.length;
        final double[] ratios = new double[n];
        Arrays.setAll(ratios, i -> times[i] / units[i]);
        Arrays.sort(ratios);
        final int half = (int) Math.ceil(0.98 * Math.sqrt(n));
        return String.format(
                Locale.ROOT,
                "%.3f [%.3f, %.3f]",
                ratios[n / 2],
                ratios[Math.max(0, n / 2 - half)],
                ratios[Math.min(n - 1, n / 2 + half)]);
    }

    // ---- fork tree ----

    /** One worker, and its CPU time: what else the machine does has less influence. */
    private static void forkTree(Policy... policies) throws InterruptedException {
        System.out.printf("Fork tree of 2^%d nodes on one worker, CPU time in ns per node%n", TREE_DEPTH + 1);
        final double[][] nanos = new double[policies.length][TREE_ROUNDS];
        final LatencyHidingScheduler[] schedulers = new LatencyHidingScheduler[policies.length];
        Arrays.setAll(schedulers, i -> scheduler(policies[i], 1));
        for (int round = -TREE_ROUNDS / 2; round < TREE_ROUNDS; round++) { // the first third warms up
            for (int i = 0; i < policies.length; i++) {
                final double took = forkTree(schedulers[i]);
                if (round >= 0) {
                    nanos[i][round] = took;
                }
            }
        }
        for (int i = 0; i < policies.length; i++) {
            schedulers[i].close();
            Arrays.sort(nanos[i]);
            System.out.printf(
                    Locale.ROOT,
                    "  %-8s least %6.2f   median %6.2f%n",
                    policies[i],
                    nanos[i][0],
                    nanos[i][TREE_ROUNDS / 2]);
        }
    }

    private static double forkTree(LatencyHidingScheduler scheduler) throws InterruptedException {
        final AtomicLong nanos = new AtomicLong();
        final CountDownLatch done = new CountDownLatch(1);
        scheduler.execute(() -> {
            nanos.set(-THREADS.getCurrentThreadCpuTime());
            scheduler.execute(
                    () -> { // the oldest in the deque, so the last
                        nanos.addAndGet(THREADS.getCurrentThreadCpuTime());
                        done.countDown();
                    });
            scheduler.execute(new Fork(scheduler, TREE_DEPTH));
        });
        done.await();
        return (double) nanos.get() / (2 << TREE_DEPTH);
    }

    private record Fork(LatencyHidingScheduler scheduler, int depth) implements Runnable {
        @Override
        public void run() {
            if (depth > 0) {
                scheduler.execute(new Fork(scheduler, depth - 1));
                scheduler.execute(new Fork(scheduler, depth - 1));
            }
        }
    }
}
