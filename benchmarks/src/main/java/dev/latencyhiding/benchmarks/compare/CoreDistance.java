package dev.latencyhiding.benchmarks.compare;

import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How long a cache line takes to another processor and back: what two workers pay for all that they share. The host of
 * a virtual machine may move it to processors that are nearer to each other, or farther apart, and then other
 * dispatchers win.
 */
final class CoreDistance {
    private static final int TRIES = 10;
    private static final long NANOS_PER_TRY = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int TRIPS_PER_LOOK = 100; // at the clock

    private volatile long ball;
    private volatile boolean isOver;

    private CoreDistance() {}

    /**
     * In nanoseconds; null if there is one processor only. The shortest of a few tries: in some the two threads have
     * to share a processor.
     */
    static @Nullable Double nanos() {
        if (Runtime.getRuntime().availableProcessors() < 2) {
            return null;
        }
        return IntStream.range(0, TRIES)
                .mapToDouble(attempt -> new CoreDistance().play())
                .min()
                .orElseThrow();
    }

    /** Two threads hand a number to and fro, each adding one. */
    private double play() {
        Thread other = new Thread(this::sendBack, "other end of the ping-pong");
        other.setDaemon(true);
        other.start();
        awaitBall(1); // it runs
        long trips = 0;
        long begun = System.nanoTime();
        long now = begun;
        for (; now - begun < NANOS_PER_TRY; now = System.nanoTime()) {
            for (int i = 0; i < TRIPS_PER_LOOK; i++) {
                ball = 2 * ++trips;
                awaitBall(2 * trips + 1);
            }
        }
        isOver = true;
        return (double) (now - begun) / trips;
    }

    private void sendBack() {
        for (long turn = 0; !isOver; turn += 2) {
            awaitBall(turn);
            ball = turn + 1;
        }
    }

    private void awaitBall(long number) {
        while (ball != number && !isOver) {
            Thread.onSpinWait();
        }
    }
}
