package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.peers.PeerSpec;
import dev.latencyhiding.benchmarks.workloads.Case;
import dev.latencyhiding.benchmarks.workloads.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
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
    private final List<Set<PeerSpec>> failed; // in the cases
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
        cases = workload.cases(plan.effort().scale());
        comparisons = cases.stream()
                .map(program -> new Comparison(workload.name(), program.parameters(), plan.jvms() * plan.rounds()))
                .toList();
        failed = cases.stream().<Set<PeerSpec>>map(program -> new HashSet<>()).toList();
    }

    /** What went wrong. */
    List<String> notes() {
        return notes;
    }

    /**
     * Warms up all cases in these JVMs, as long as there is time. To be called for all workloads that share the JVMs
     * before the first of them is measured.
     *
     * @param jvm how many JVMs each dispatcher has had before
     */
    void warmUp(int jvm, Children children) {
        for (int index = 0; index < cases.size() && hasTime(jvm); index++) {
            warmUp(index, plan.effort().warmUp().before(), contenders(index), children);
        }
    }

    /**
     * Measures all cases in these JVMs, as long as there is time.
     *
     * @param jvm how many JVMs each dispatcher has had before
     */
    void run(int jvm, Children children) {
        for (int index = 0; index < cases.size() && hasTime(jvm); index++) {
            List<PeerSpec> contenders = contenders(index);
            warmUp(index, plan.effort().warmUp().again(), contenders, children);
            for (int round = jvm * plan.rounds(); round < (jvm + 1) * plan.rounds(); round++) {
                run(index, round, contenders, children);
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

    private boolean hasTime(int jvm) {
        return plan.effort().hasTimeForJvm(jvm, Duration.ofNanos(System.nanoTime() - begun));
    }

    private List<PeerSpec> contenders(int index) {
        List<PeerSpec> peers = plan.peersFor(cases.get(index));
        return comparisons.get(index).contenders(peers, plan.effort().outOfReach());
    }

    private void warmUp(int index, long millis, List<PeerSpec> peers, Children children) {
        attempt(index, peers, children, (peer, child) -> child.warm(workload.name(), index, millis));
    }

    private void run(int index, int round, List<PeerSpec> peers, Children children) {
        List<PeerSpec> order = new ArrayList<>(peers);
        Collections.rotate(order, round);
        Comparison comparison = comparisons.get(index);
        attempt(
                index,
                order,
                children,
                (peer, child) -> comparison.add(peer, round, child.run(workload.name(), index)));
    }

    /** On one dispatcher after the other; one that fails does not go on with this case. */
    private void attempt(int index, List<PeerSpec> peers, Children children, BiConsumer<PeerSpec, Child> action) {
        for (PeerSpec peer : peers) {
            if (failed.get(index).contains(peer)) {
                continue;
            }
            String what = workload.name() + Labels.of(cases.get(index).parameters()) + " on " + peer.name();
            progress.accept(what);
            try {
                action.accept(peer, children.of(peer));
            } catch (ChildFailure e) {
                failed.get(index).add(peer);
                notes.add(what + ": " + e.getMessage());
                if (!e.childLives()) {
                    children.discard(peer);
                }
            }
        }
    }
}
