package dev.latencyhiding;

/** A worker's own small random numbers (Marsaglia's xorshift64*), for victims. Owner only. */
final class XorShift {
    private long state;

    XorShift(long seed) {
        // Mixed, so that workers with seeds 1, 2, 3 do not start alike; zero is the one bad state.
        final long mixed = (seed + 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
        state = mixed ^ (mixed >>> 31);
        if (state == 0) {
            state = 0x9E3779B97F4A7C15L;
        }
    }

    /** Uniform in 0 to bound-1, up to a bias of bound / 2^32. */
    int nextInt(int bound) {
        long x = state;
        x ^= x >>> 12;
        x ^= x << 25;
        x ^= x >>> 27;
        state = x;
        final long high = (x * 0x2545F4914F6CDD1DL) >>> 32;
        return (int) ((high * bound) >>> 32);
    }
}
