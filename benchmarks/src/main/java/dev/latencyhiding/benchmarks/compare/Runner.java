package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.peers.PeerSpec;
import dev.latencyhiding.benchmarks.workloads.Case;
import dev.latencyhiding.benchmarks.workloads.Workload;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the cases of one workload. Each dispatcher has a JVM of its own, which lives as long as the workload lasts, so
 * that no dispatcher inherits what the compiler learnt from another. Only one JVM is busy at any time: in each round
 * all dispatchers take their turn, in another order than in the round before.
 */
final class Runner {
    private final Workload workload;
    private final Plan plan;
    private final BiFunction<Workload, PeerSpec, Child> starter;
    private final Consumer<String> progress;
    private final List<String> notes = new ArrayList<>();
    private final Map<PeerSpec, Child> children = new HashMap<>();

    /**
     * @param starter starts the JVM of a dispatcher
     * @param progress told after each run
     */
    Runner(Workload workload, Plan plan, BiFunction<Workload, PeerSpec, Child> starter, Consumer<String> progress) {
        this.workload = workload;
        this.plan = plan;
        this.starter = starter;
        this.progress = progress;
    }

    /** What went wrong. */
    List<String> notes() {
        return notes;
    }

    List<Measurement> run(Consumer<List<Measurement>> caseDone) {
        List<Measurement> measurements = new ArrayList<>();
        try {
            List<Case> cases = workload.cases(plan.scale());
            for (int index = 0; index < cases.size(); index++) {
                List<Measurement> ofCase = run(index, cases.get(index));
                caseDone.accept(ofCase);
                measurements.addAll(ofCase);
            }
        } finally {
            children.values().parallelStream().forEach(Child::close);
        }
        return measurements;
    }

    private List<Measurement> run(int index, Case program) {
        List<PeerSpec> peers = plan.peersFor(program);
        Comparison comparison = new Comparison(workload.name(), program.parameters(), plan.rounds());
        List<PeerSpec> alive = new ArrayList<>();
        for (PeerSpec peer : peers) {
            long warmUp = children.containsKey(peer) ? plan.warmUpMillis() : plan.firstWarmUpMillis();
            if (attempt(peer, program.parameters(), child -> child.warm(index, warmUp))) {
                alive.add(peer);
            }
        }
        for (int round = 0; round < plan.rounds(); round++) {
            int thisRound = round;
            List<PeerSpec> order = new ArrayList<>(alive);
            Collections.rotate(order, round);
            for (PeerSpec peer : order) {
                if (!attempt(peer, program.parameters(), child -> comparison.add(peer, thisRound, child.run(index)))) {
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
            action.accept(children.computeIfAbsent(peer, absent -> starter.apply(workload, absent)));
            return true;
        } catch (ChildFailure e) {
            notes.add(what + ": " + e.getMessage());
            if (!e.childLives()) {
                @Nullable Child lost = children.remove(peer);
                if (lost != null) {
                    lost.close();
                }
            }
            return false;
        }
    }
}
