package dev.latencyhiding.benchmarks.figures;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;

/**
 * A fork tree saturates all workers, nodes of 1 ms; meanwhile 1000 small nodes come from outside. How
 * late do they start, and what does it cost the tree?
 */
final class ArrivalFigure {
    private static final long NODE_NANOS = 1_000_000;
    private static final int DEPTH = 10;

    private ArrivalFigure() {}

    record Result(Quantiles arrivals, double treeSlowdown) {}

    static Result measure(Peer peer, int parallelism, int arrivals) throws InterruptedException {
        final ExecutorService executor = peer.start(parallelism);
        runTree(executor, new long[0]); // warm up
        final long alone = runTree(executor, new long[0]);
        final long[] delays = new long[arrivals];
        final long beside = runTree(executor, delays);
        executor.shutdown();
        return new Result(Quantiles.of(delays), (double) beside / alone);
    }

    private static long runTree(ExecutorService executor, long[] delays) throws InterruptedException {
        final CountDownLatch done = new CountDownLatch((2 << DEPTH) - 1);
        final CountDownLatch arrived = new CountDownLatch(delays.length);
        final CountDownLatch underWay = new CountDownLatch(4);
        final long begun = System.nanoTime();
        executor.execute(() -> fork(executor, DEPTH, done, underWay));
        underWay.await();
        for (int i = 0; i < delays.length; i++) {
            final int index = i;
            final long handedIn = System.nanoTime();
            executor.execute(() -> {
                delays[index] = System.nanoTime() - handedIn;
                arrived.countDown();
            });
        }
        done.await();
        final long took = System.nanoTime() - begun;
        arrived.await();
        return took;
    }

    private static void fork(ExecutorService executor, int depth, CountDownLatch done, CountDownLatch underWay) {
        Spin.forNanos(NODE_NANOS);
        if (depth > 0) {
            executor.execute(() -> fork(executor, depth - 1, done, underWay));
            executor.execute(() -> fork(executor, depth - 1, done, underWay));
        }
        underWay.countDown();
        done.countDown();
    }
}
