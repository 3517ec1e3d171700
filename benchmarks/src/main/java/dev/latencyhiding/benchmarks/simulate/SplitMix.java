package dev.latencyhiding.benchmarks.simulate;

/** Random numbers that are the same on every JDK for the same seed (Steele, Lea and Flood's SplitMix64). */
final class SplitMix {
    private long state;

    SplitMix(long seed) {
        state = seed;
    }

    private long nextLong() {
        state += 0x9E3779B97F4A7C15L;
        long z = state;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** Uniform in 0 to bound-1, up to a bias of bound / 2^32. */
    int nextInt(int bound) {
        return (int) (((nextLong() >>> 32) * bound) >>> 32);
    }

    /** True once in {@code n} times. */
    boolean oneIn(int n) {
        return nextInt(n) == 0;
    }
}
