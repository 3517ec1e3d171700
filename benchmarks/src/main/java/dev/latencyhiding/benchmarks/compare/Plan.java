package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.peers.PeerSpec;
import dev.latencyhiding.benchmarks.peers.Peers;
import dev.latencyhiding.benchmarks.workloads.Case;
import dev.latencyhiding.benchmarks.workloads.Scale;
import dev.latencyhiding.benchmarks.workloads.Workload;
import java.util.ArrayList;
import java.util.List;

/**
 * How to measure.
 *
 * @param peers the dispatchers, in the order of the report
 * @param scale how large
 * @param rounds how often
 * @param warmUpMillis for how long each case is run before it is measured
 */
record Plan(List<PeerSpec> peers, Scale scale, int rounds, long warmUpMillis) {
    /** The dispatchers, and the bound if the case has one. */
    List<PeerSpec> peersFor(Case program) {
        List<PeerSpec> all = new ArrayList<>(peers);
        if (program.hasBound()) {
            all.add(Peers.bound());
        }
        return all;
    }

    /** The number of runs, warm-ups included, if nothing fails. */
    int runs(Workload workload) {
        return workload.cases(scale).stream()
                .mapToInt(program -> peersFor(program).size() * (rounds + 1))
                .sum();
    }
}
