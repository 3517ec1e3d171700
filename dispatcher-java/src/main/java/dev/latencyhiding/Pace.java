package dev.latencyhiding;

/**
 * How often to do something that needs the clock, which costs as much as a small node: every time, but
 * if the times are close together, once in a while.
 *
 * <pre>{@code
 * if (pace.isTime()) {
 *     final long now = System.nanoTime();
 *     pace.looked(now);
 *     ...
 * }
 * }</pre>
 *
 * <p>Not safe for several threads.
 */
final class Pace {
    /** Looks need not be closer than this. */
    private static final long PERIOD_NANOS = 20_000;

    /** A long pause may follow short ones at any time, and so many say that it is unlikely. */
    private static final int MANY = 16;

    private final int mostSkipped;
    private int left;
    private int soonLooks;
    private long lastLook;

    /** @param mostSkipped how many times to skip after many looks that came too soon */
    Pace(int mostSkipped) {
        this.mostSkipped = mostSkipped;
    }

    boolean isTime() {
        return --left < 0;
    }

    void looked(long now) {
        soonLooks = now - lastLook < PERIOD_NANOS ? soonLooks + 1 : 0;
        left = soonLooks < MANY ? 0 : mostSkipped;
        lastLook = now;
    }

    /** There was nothing to look at. */
    void rest() {
        left = mostSkipped;
    }
}
