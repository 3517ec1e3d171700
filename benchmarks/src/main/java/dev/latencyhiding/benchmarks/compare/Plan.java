package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.peers.PeerSpec;
import dev.latencyhiding.benchmarks.peers.Peers;
import dev.latencyhiding.benchmarks.workloads.Case;
import dev.latencyhiding.benchmarks.workloads.Scale;
import dev.latencyhiding.benchmarks.workloads.Workload;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How to measure.
 *
 * @param peers the dispatchers, in the order of the report
 * @param peersIfNothingWaits further ones for cases without latency
 * @param scale how large
 * @param jvms how many JVMs each dispatcher has for a case, one after the other
 * @param rounds how often each of them is measured
 * @param warmUp for how long each case is run before it is measured
 * @param outOfReach who is behind the best by more than this factor in its first JVM has no further ones
 * @param limit after which time no further JVM is measured; null if it does not matter
 */
record Plan(
        List<PeerSpec> peers,
        List<PeerSpec> peersIfNothingWaits,
        Scale scale,
        int jvms,
        int rounds,
        WarmUp warmUp,
        double outOfReach,
        @Nullable Duration limit) {
    /**
     * How long to warm up, in milliseconds: less if much is compiled already.
     *
     * @param ofJvm for the first case of all in a JVM
     * @param ofWorkload for the first case of another workload
     * @param ofCase for another case of the same workload
     */
    record WarmUp(long ofJvm, long ofWorkload, long ofCase) {
        long millis(boolean isNewJvm, boolean isNewWorkload) {
            return isNewJvm ? ofJvm : isNewWorkload ? ofWorkload : ofCase;
        }
    }

    /**
     * Whether to measure a case in another JVM. The first one is never left out.
     *
     * @param before in how many it was measured
     * @param took how long all cases took so far
     */
    boolean hasTimeForJvm(int before, Duration took) {
        return before == 0 || limit == null || took.compareTo(limit) < 0;
    }

    /** The dispatchers that can run the case, and the bound if it has one. */
    List<PeerSpec> peersFor(Case program) {
        Stream<PeerSpec> further = program.nothingWaits() ? peersIfNothingWaits.stream() : Stream.of();
        Stream<PeerSpec> bound = program.hasBound() ? Stream.of(Peers.bound()) : Stream.of();
        return Stream.of(peers.stream(), further, bound)
                .flatMap(stream -> stream)
                .filter(program::isFor)
                .toList();
    }

    /** The number of runs, warm-ups included, if nothing fails. */
    int runs(Workload workload) {
        return workload.cases(scale).stream()
                .mapToInt(program -> peersFor(program).size() * jvms * (rounds + 1))
                .sum();
    }
}
