package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.peers.PeerSpec;
import dev.latencyhiding.benchmarks.workloads.Case;
import dev.latencyhiding.benchmarks.workloads.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Runs the cases of one workload. Each dispatcher has a JVM of its own, so that none inherits what the compiler learnt
 * from another. Only one JVM is busy while something is measured: in each round all dispatchers take their turn, in
 * another order than in the round before. If a plan asks for several JVMs, all dispatchers have their first, then all
 * their second, and so on; but a dispatcher that is far behind in a case after its first JVM is not measured there again.
 */
final class Runner {
    /** JVMs that warm up at the same time: while one waits, or its compiler uses one processor, another goes on. */
    private static final int WARMING_UP = 2;

    private final Workload workload;
    private final Plan plan;
    private final Consumer<String> progress;
    private final long begun;
    private final List<Case> cases;
    private final List<Comparison> comparisons; // of the cases
    private final List<Set<PeerSpec>> failed; // in the cases
    private final List<String> notes = new CopyOnWriteArrayList<>();

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
        failed = cases.stream()
                .<Set<PeerSpec>>map(program -> ConcurrentHashMap.newKeySet())
                .toList();
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
        ExecutorService executor = Executors.newFixedThreadPool(WARMING_UP);
        try {
            CompletableFuture<?>[] all = plan.peersFor(cases).stream()
                    .map(peer -> CompletableFuture.runAsync(() -> warmUp(peer, jvm, children), executor))
                    .toArray(CompletableFuture<?>[]::new);
            CompletableFuture.allOf(all).join();
        } finally {
            executor.shutdown();
        }
    }

    private void warmUp(PeerSpec peer, int jvm, Children children) {
        for (int i = 0; i < cases.size() && hasTime(jvm); i++) {
            int index = i;
            if (contenders(index).contains(peer)) {
                long millis = plan.effort().warmUp().millis();
                attempt(index, peer, children, child -> child.warm(workload.name(), index, millis));
            }
        }
    }

    /**
     * Measures all cases in these JVMs, as long as there is time.
     *
     * @param jvm how many JVMs each dispatcher has had before
     */
    void run(int jvm, Children children) {
        for (int i = 0; i < cases.size() && hasTime(jvm); i++) {
            int index = i;
            List<PeerSpec> contenders = contenders(index);
            contenders.forEach(peer -> settle(index, peer, children));
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

    private void settle(int index, PeerSpec peer, Children children) {
        Effort.WarmUp warmUp = plan.effort().warmUp();
        attempt(
                index,
                peer,
                children,
                child -> child.settle(workload.name(), index, warmUp.stepMillis(), warmUp.settleMillis()));
    }

    private void run(int index, int round, List<PeerSpec> peers, Children children) {
        List<PeerSpec> order = new ArrayList<>(peers);
        Collections.rotate(order, round);
        Comparison comparison = comparisons.get(index);
        for (PeerSpec peer : order) {
            attempt(index, peer, children, child -> comparison.add(peer, round, child.run(workload.name(), index)));
        }
    }

    /** A dispatcher that fails does not go on with this case. */
    private void attempt(int index, PeerSpec peer, Children children, Consumer<Child> action) {
        if (failed.get(index).contains(peer)) {
            return;
        }
        String what = workload.name() + Labels.of(cases.get(index).parameters()) + " on " + peer.name();
        progress.accept(what);
        try {
            action.accept(children.of(peer));
        } catch (ChildFailure e) {
            failed.get(index).add(peer);
            notes.add(what + ": " + e.getMessage());
            if (!e.childLives()) {
                children.discard(peer);
            }
        }
    }
}
