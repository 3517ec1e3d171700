package dev.latencyhiding.benchmarks.figures;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * How late a resumed node starts while every worker computes: nodes of 1 ms, each of which hands in
 * its successor, so that no worker ever runs out of work; a foreign thread resumes one suspended node
 * every 2 ms. What it may claim: wake-up latency under saturation. It says nothing of throughput.
 */
final class WakeUpFigure {
    private static final long NODE_NANOS = 1_000_000;
    private static final long PACE_NANOS = 2_000_000;
    private static final long GIVE_UP_NANOS = 5_000_000_000L;

    private WakeUpFigure() {}

    /** Times from resume to start. A node that has not started after five seconds counts as that late. */
    static Quantiles measure(Peer peer, int parallelism, int wakeUps) throws InterruptedException {
        final ExecutorService executor = peer.start(parallelism);
        final AtomicReferenceArray<Consumer<Runnable>> suspended = new AtomicReferenceArray<>(wakeUps);
        final CountDownLatch open = new CountDownLatch(wakeUps);
        for (int i = 0; i < wakeUps; i++) {
            final int index = i;
            executor.execute(() -> {
                suspended.set(index, peer.suspend(executor));
                open.countDown();
            });
        }
        open.await();
        final Spin.Load load = new Spin.Load(executor, NODE_NANOS);
        load.start(4 * parallelism);
        final long[] resumed = new long[wakeUps];
        final long[] delays = new long[wakeUps];
        final CountDownLatch started = new CountDownLatch(wakeUps);
        for (int i = 0; i < wakeUps; i++) {
            final int index = i;
            resumed[i] = System.nanoTime();
            suspended.get(i).accept(() -> {
                delays[index] = System.nanoTime() - resumed[index];
                started.countDown();
            });
            LockSupport.parkNanos(PACE_NANOS);
        }
        final long deadline = System.nanoTime() + GIVE_UP_NANOS;
        while (started.getCount() > 0 && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(PACE_NANOS);
        }
        final long[] seen = delays.clone();
        for (int i = 0; i < wakeUps; i++) {
            seen[i] = seen[i] == 0 ? GIVE_UP_NANOS : seen[i];
        }
        load.stop();
        executor.shutdown();
        return Quantiles.of(seen);
    }
}
