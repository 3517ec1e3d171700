package dev.latencyhiding;

/** Room on the stack for what must not be left half done. */
final class StackRoom {
    /** More than 48 would be seen in the cost of a wake-up: 128 of them took 0.5 µs instead of 0.2. */
    private static final int FRAMES_TO_WAKE = 48;

    private StackRoom() {}

    /** For taking a sleeper off the list and unparking it. */
    static void toWake() {
        require(FRAMES_TO_WAKE);
    }

    /** Overflows the stack now, rather than in the midst of what follows, if it has not so many small frames left. */
    static int require(int frames) {
        return frames == 0 ? 0 : 1 + require(frames - 1);
    }
}
