package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.peers.PeerSpec;
import dev.latencyhiding.benchmarks.workloads.Case;
import dev.latencyhiding.benchmarks.workloads.Workload;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Consumer;

/**
 * Runs the cases of one workload. Each dispatcher has a JVM of its own, so that none inherits what the compiler learnt
 * from another. Only one JVM is busy at any time: in each round all dispatchers take their turn, in another order than
 * in the round before.
 */
final class Runner {
    private final Workload workload;
    private final Plan plan;
    private final Children children;
    private final Consumer<String> progress;
    private final List<String> notes = new ArrayList<>();

    /** @param progress told before each run */
    Runner(Workload workload, Plan plan, Children children, Consumer<String> progress) {
        this.workload = workload;
        this.plan = plan;
        this.children = children;
        this.progress = progress;
    }

    /** What went wrong. */
    List<String> notes() {
        return notes;
    }

    List<Measurement> run(Consumer<List<Measurement>> caseDone) {
        List<Measurement> measurements = new ArrayList<>();
        List<Case> cases = workload.cases(plan.scale());
        for (int index = 0; index < cases.size(); index++) {
            List<Measurement> ofCase = run(index, cases.get(index));
            caseDone.accept(ofCase);
            measurements.addAll(ofCase);
        }
        return measurements;
    }

    private List<Measurement> run(int index, Case program) {
        List<PeerSpec> peers = plan.peersFor(program);
        Comparison comparison = new Comparison(workload.name(), program.parameters(), plan.rounds());
        List<PeerSpec> alive = new ArrayList<>();
        for (PeerSpec peer : peers) {
            long millis = plan.warmUp().millis(!children.isRunning(peer), index == 0);
            if (attempt(peer, program.parameters(), child -> child.warm(workload.name(), index, millis))) {
                alive.add(peer);
            }
        }
        for (int round = 0; round < plan.rounds(); round++) {
            int thisRound = round;
            List<PeerSpec> order = new ArrayList<>(alive);
            Collections.rotate(order, round);
            for (PeerSpec peer : order) {
                Consumer<Child> run = child -> comparison.add(peer, thisRound, child.run(workload.name(), index));
                if (!attempt(peer, program.parameters(), run)) {
                    alive.remove(peer);
                }
            }
        }
        return comparison.measurements(peers);
    }

    /** Returns false if the dispatcher cannot go on with this case. */
    private boolean attempt(PeerSpec peer, SortedMap<String, String> parameters, Consumer<Child> action) {
        String what = workload.name() + Labels.of(parameters) + " on " + peer.name();
        progress.accept(what);
        try {
            action.accept(children.of(peer));
            return true;
        } catch (ChildFailure e) {
            notes.add(what + ": " + e.getMessage());
            if (!e.childLives()) {
                children.discard(peer);
            }
            return false;
        }
    }
}
