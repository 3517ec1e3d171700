package dev.latencyhiding.benchmarks.figures;

import java.util.Locale;

/**
 * Punctuality and idle cost of the scheduler beside its peers, in one run, interleaved. Absolute times
 * depend on the machine and on what else it does: compare within a run.
 */
public final class Figures {
    private static final int ROUNDS = 3;
    private static final int COUNT = 1000;

    private Figures() {}

    /**
     * Prints the figures.
     *
     * @param args the parallelism; by default the number of processors
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        final int parallelism = args.length > 0
                ? Integer.parseInt(args[0])
                : Runtime.getRuntime().availableProcessors();
        System.out.printf(
                "JDK %s, %d processors, parallelism %d%n",
                Runtime.version(), Runtime.getRuntime().availableProcessors(), parallelism);
        System.out.println("\nDelay of a resumed node beside endless nodes of 1 ms on every worker");
        for (int round = 0; round < ROUNDS; round++) {
            for (Peer peer : Peer.values()) {
                System.out.printf("  %-18s %s%n", peer, WakeUpFigure.measure(peer, parallelism, COUNT));
            }
        }
        System.out.println("\nDelay of 1000 nodes from outside beside a fork tree of 1 ms nodes; time of the tree");
        for (int round = 0; round < ROUNDS; round++) {
            for (Peer peer : Peer.values()) {
                final ArrivalFigure.Result result = ArrivalFigure.measure(peer, parallelism, COUNT);
                System.out.printf(
                        Locale.ROOT, "  %-18s %s   tree × %.2f%n", peer, result.arrivals(), result.treeSlowdown());
            }
        }
        System.out.println("\nCPU in ms per second: idle, a node every 10 ms, a node every ms");
        for (int round = 0; round < ROUNDS; round++) {
            for (Peer peer : Peer.values()) {
                System.out.printf(
                        Locale.ROOT,
                        "  %-18s %6.2f %8.2f %8.2f%n",
                        peer,
                        CpuFigure.measure(peer, parallelism, 0, 2),
                        CpuFigure.measure(peer, parallelism, 10_000_000, 2),
                        CpuFigure.measure(peer, parallelism, 1_000_000, 2));
            }
        }
    }
}
