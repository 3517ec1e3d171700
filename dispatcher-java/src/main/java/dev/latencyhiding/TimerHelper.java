package dev.latencyhiding;

/**
 * Lets a worker, between two nodes, do what the timer's thread is late with. While every processor is busy
 * the system may take milliseconds to find one for that thread; a worker is at the end of a node sooner.
 *
 * <p>Used by its worker's thread only.
 */
final class TimerHelper {
    /** Looks need not be closer than this: reading the clock costs as much as a small node. */
    private static final long PERIOD_NANOS = 20_000;

    /** After so many looks in a row that came sooner than that, only every so many nodes are followed by one. */
    private static final int MANY = 16;

    private final Timer timer;

    /** Nodes until the next look. */
    private int left = 1;

    private int soonLooks;
    private long lastLook;

    TimerHelper(Timer timer) {
        this.timer = timer;
    }

    /** To be called between any two nodes. */
    void betweenNodes() {
        if (--left <= 0) {
            look();
        }
    }

    private void look() {
        if (timer.isIdle()) {
            left = MANY;
        } else {
            look(System.nanoTime());
        }
    }

    void look(long now) {
        // A long node may follow short ones at any time: a few of them say nothing about the next.
        soonLooks = now - lastLook < PERIOD_NANOS ? soonLooks + 1 : 0;
        left = soonLooks < MANY ? 1 : MANY;
        lastLook = now;
        if (timer.isLate(now)) {
            WorkerThread.asOutsider(() -> timer.fireDue(now));
        }
    }
}
