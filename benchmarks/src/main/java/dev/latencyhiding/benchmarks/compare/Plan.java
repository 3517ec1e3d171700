package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.peers.PeerSpec;
import dev.latencyhiding.benchmarks.peers.Peers;
import dev.latencyhiding.benchmarks.workloads.Case;
import dev.latencyhiding.benchmarks.workloads.Workload;
import java.util.List;
import java.util.stream.Stream;

/**
 * What to measure, and how often.
 *
 * @param workloads the programs, in the order of the report
 * @param peers the dispatchers, in the order of the report
 * @param peersIfNothingWaits further ones for cases without latency
 * @param jvms how many JVMs each dispatcher has for a case, one after the other
 * @param rounds how often each of them is measured
 * @param effort how much time to take
 */
record Plan(
        List<Workload> workloads,
        List<PeerSpec> peers,
        List<PeerSpec> peersIfNothingWaits,
        int jvms,
        int rounds,
        Effort effort) {
    /** The workloads that share the JVMs of a dispatcher. */
    List<List<Workload>> groups() {
        return effort.sharesJvms()
                ? List.of(workloads)
                : workloads.stream().map(List::of).toList();
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

    /** The dispatchers that can run any of these cases. */
    List<PeerSpec> peersFor(List<Case> programs) {
        return programs.stream()
                .flatMap(program -> peersFor(program).stream())
                .distinct()
                .toList();
    }

    /** One of the workloads. */
    Workload workload(String name) {
        return workloads.stream()
                .filter(workload -> workload.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** One of the dispatchers. */
    PeerSpec peer(String name) {
        return Stream.concat(peers.stream(), peersIfNothingWaits.stream())
                .filter(peer -> peer.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** The number of runs, warm-ups included, if nothing fails. */
    int runs() {
        return workloads.stream()
                .flatMap(workload -> workload.cases(effort.scale()).stream())
                .mapToInt(program ->
                        peersFor(program).size() * jvms * (effort.warmUp().passes() + 1 + rounds))
                .sum();
    }
}
