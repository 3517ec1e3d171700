package dev.latencyhiding;

/**
 * Lets a worker, between two nodes, do what the timer's thread is late with. While every processor is busy
 * the system may take milliseconds to find one for that thread; a worker is at the end of a node sooner.
 *
 * <p>Used by its worker's thread only.
 */
final class TimerHelper {
    private final Timer timer;
    private final Pace pace = new Pace(15);

    TimerHelper(Timer timer) {
        this.timer = timer;
    }

    /** To be called between any two nodes. */
    void betweenNodes() {
        if (pace.isTime()) {
            look();
        }
    }

    private void look() {
        if (timer.isIdle()) {
            pace.rest();
        } else {
            look(System.nanoTime());
        }
    }

    void look(long now) {
        pace.looked(now);
        if (timer.isLate(now)) {
            LibraryThread.asOutsider(() -> timer.fireDue(now));
        }
    }
}
