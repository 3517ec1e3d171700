package dev.latencyhiding;

/** Room on the stack for what must not be left half done. */
final class StackRoom {
    private StackRoom() {}

    /** Overflows the stack now, rather than in the midst of what follows, if it has not so many small frames left. */
    static int require(int frames) {
        return frames == 0 ? 0 : 1 + require(frames - 1);
    }
}
