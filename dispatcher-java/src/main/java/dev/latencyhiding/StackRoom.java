package dev.latencyhiding;

/** Room on the stack for what must not be left half done. */
final class StackRoom {
    private static final int FRAMES_TO_WAKE = 128;

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
