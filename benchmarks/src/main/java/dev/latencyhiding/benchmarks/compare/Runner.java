package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.peers.PeerSpec;
import dev.latencyhiding.benchmarks.workloads.Case;
import dev.latencyhiding.benchmarks.workloads.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Runs the cases of one workload. Each dispatcher has a JVM of its own, so that none inherits what the compiler learnt
 * from another. Only one JVM is busy at any time: in each round all dispatchers take their turn, in another order than
 * in the round before. If a plan asks for several JVMs, all dispatchers have their first, then all their second, and
 * so on; but a dispatcher that is far behind in a case after its first JVM is not measured there again.
 */
final class Runner {
    private final Workload workload;
    private final Plan plan;
    private final Consumer<String> progress;
    private final long begun;
    private final List<Case> cases;
    private final List<Comparison> comparisons; // of the cases
    private final List<String> notes = new ArrayList<>();

    /**
     * @param begun when the first case of all did, by {@link System#nanoTime}
     * @param progress told before each run
     */
    Runner(Workload workload, Plan plan, long begun, Consumer<String> progress) {
        this.workload = workload;
        this.plan = plan;
        this.begun = begun;
        this.progress = progress;
        cases = workload.cases(plan.scale());
        comparisons = cases.stream()
                .map(program -> new Comparison(workload.name(), program.parameters(), plan.jvms() * plan.rounds()))
                .toList();
    }

    /** What went wrong. */
    List<String> notes() {
        return notes;
    }

    /**
     * Runs all cases in these JVMs, as long as there is time.
     *
     * @param jvm how many JVMs each dispatcher has had before
     */
    void run(int jvm, Children children) {
        for (int index = 0; index < cases.size(); index++) {
            if (plan.hasTimeForJvm(jvm, Duration.ofNanos(System.nanoTime() - begun))) {
                run(index, jvm * plan.rounds(), children);
            }
        }
    }

    /** Of all cases. */
    List<Measurement> measurements() {
        return IntStream.range(0, cases.size())
                .mapToObj(index -> comparisons.get(index).measurements(plan.peersFor(cases.get(index))))
                .flatMap(List::stream)
                .toList();
    }

    private void run(int index, int firstRound, Children children) {
        Case program = cases.get(index);
        Comparison comparison = comparisons.get(index);
        List<PeerSpec> alive = new ArrayList<>();
        for (PeerSpec peer : comparison.contenders(plan.peersFor(program), plan.outOfReach())) {
            long millis = plan.warmUp().millis(!children.isRunning(peer), index == 0);
            if (attempt(peer, program, children, child -> child.warm(workload.name(), index, millis))) {
                alive.add(peer);
            }
        }
        for (int round = firstRound; round < firstRound + plan.rounds(); round++) {
            int thisRound = round;
            List<PeerSpec> order = new ArrayList<>(alive);
            Collections.rotate(order, round);
            for (PeerSpec peer : order) {
                Consumer<Child> run = child -> comparison.add(peer, thisRound, child.run(workload.name(), index));
                if (!attempt(peer, program, children, run)) {
                    alive.remove(peer);
                }
            }
        }
    }

    /** Returns false if the dispatcher cannot go on with this case. */
    private boolean attempt(PeerSpec peer, Case program, Children children, Consumer<Child> action) {
        String what = workload.name() + Labels.of(program.parameters()) + " on " + peer.name();
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
