package dev.latencyhiding.benchmarks.workloads;

import dev.latencyhiding.benchmarks.peers.Peer;
import dev.latencyhiding.benchmarks.peers.PeerSpec;
import dev.latencyhiding.benchmarks.peers.Peers;
import java.util.List;
import java.util.SortedMap;

/** A workload with all its parameters fixed. */
public interface Case {
    /**
     * What distinguishes this case from the others of its workload.
     *
     * @return names and values for tables
     */
    SortedMap<String, String> parameters();

    /**
     * Whether to run the program on a dispatcher. The default is on all, but not on what is no dispatcher, and only
     * once on two that do not differ here.
     *
     * @param peer the dispatcher
     * @return false if it is left out
     */
    default boolean isFor(PeerSpec peer) {
        return peer.role() != PeerSpec.Role.REFERENCE
                && (hasWaitingPart() || !peer.name().equals(Peers.DEFAULT_AND_THREAD));
    }

    /**
     * Whether the program has a part that {@link Peer#waiting} runs.
     *
     * @return false if it would run on {@link Peer#dispatcher} as a whole
     */
    default boolean hasWaitingPart() {
        return !nothingWaits();
    }

    /**
     * Whether the program only computes, so that there is no latency to hide.
     *
     * @return false if something waits
     */
    default boolean nothingWaits() {
        return false;
    }

    /**
     * Runs the program once.
     *
     * @param peer what to run it on
     * @return what was measured
     * @throws Exception whatever the program throws
     * @throws IllegalStateException if the program's result is wrong
     */
    List<Sample> run(Peer peer) throws Exception;

    /**
     * Runs the program until it is compiled. The default is to repeat it for a while.
     *
     * @param peer what to run it on
     * @param millis how long
     * @throws Exception whatever the program throws
     */
    default void warmUp(Peer peer, long millis) throws Exception {
        long begun = System.nanoTime();
        do {
            run(peer);
        } while (System.nanoTime() - begun < millis * 1_000_000);
    }

    /**
     * Whether {@link #bound} measures something.
     *
     * @return false if nobody knows how fast the program could be
     */
    default boolean hasBound() {
        return false;
    }

    /**
     * Measures what no scheduler can beat: max(T₁/P, T∞).
     *
     * @param parallelism P
     * @return the bound of each metric that has one
     * @throws Exception whatever the program throws
     */
    default List<Sample> bound(int parallelism) throws Exception {
        return List.of();
    }
}
