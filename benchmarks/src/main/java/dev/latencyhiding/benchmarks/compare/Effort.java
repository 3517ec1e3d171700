package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.workloads.Scale;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How much time to take.
 *
 * @param scale how large the programs are
 * @param jvms how many JVMs a dispatcher has for each case, unless somebody asks for another number
 * @param warmUp for how long each case is run unmeasured
 * @param outOfReach who is behind the best by more than this factor in its first JVM has no further ones
 * @param sharesJvms whether all workloads share the JVMs of a dispatcher. Else each has its own, so that the compiler
 *     knows nothing but that workload
 * @param profileMillis how long to profile a case
 * @param limit after which time nothing further is begun that can be left out; null if it does not matter
 */
record Effort(
        Scale scale,
        int jvms,
        WarmUp warmUp,
        double outOfReach,
        boolean sharesJvms,
        long profileMillis,
        @Nullable Duration limit) {
    /**
     * The same program on the same dispatcher differs by up to 2.2 between two JVMs, and by 2.8 if the host has moved
     * the machine meanwhile.
     */
    private static final double OUT_OF_REACH = 3;

    /** Less, so that those in front are measured more often. */
    private static final double QUICK_OUT_OF_REACH = 1.5;

    /** Of the five minutes that are promised, with some for the beginning and the end. */
    private static final Duration QUICK_LIMIT = Duration.ofSeconds(285);

    /** What is kept of a limited time for the profiles. */
    private static final Duration FOR_PROFILES = Duration.ofSeconds(30);

    /** For tests. */
    static final Effort TINY = new Effort(Scale.TINY, 1, new WarmUp(1, 1, 1, 1), OUT_OF_REACH, true, 10, null);

    /** There is no time for JVMs for each workload. */
    static final Effort QUICK =
            new Effort(Scale.QUICK, 3, new WarmUp(2, 60, 20, 150), QUICK_OUT_OF_REACH, true, 200, QUICK_LIMIT);

    static final Effort FULL =
            new Effort(Scale.FULL, 3, new WarmUp(2, 500, 100, 1_000), OUT_OF_REACH, false, 2_000, null);

    /**
     * How to warm up. First all cases that a JVM is going to measure, several times over: code that is compiled after one
     * program is thrown away with the next, which takes other branches, and would be compiled anew while something is
     * measured. Then each case shortly before it is measured, in small steps, until there is hardly anything left to
     * compile: a dispatcher with much code needs more of them than one with little.
     *
     * @param passes how often to run all cases
     * @param millis for how long to run each of them
     * @param stepMillis how long a step takes
     * @param settleMillis no step begins later
     */
    record WarmUp(int passes, long millis, long stepMillis, long settleMillis) {}

    /** The same with JVMs for each workload. */
    Effort withoutSharedJvms() {
        return new Effort(scale, jvms, warmUp, outOfReach, false, profileMillis, limit);
    }

    /**
     * Whether to measure a case in another JVM. The first one is never left out.
     *
     * @param before in how many it was measured
     * @param took how long all cases took so far
     */
    boolean hasTimeForJvm(int before, Duration took) {
        return before == 0 || limit == null || took.compareTo(limit.minus(FOR_PROFILES)) < 0;
    }

    /**
     * Whether to profile another case.
     *
     * @param took how long all took so far
     */
    boolean hasTimeForProfile(Duration took) {
        return limit == null || took.compareTo(limit) < 0;
    }
}
