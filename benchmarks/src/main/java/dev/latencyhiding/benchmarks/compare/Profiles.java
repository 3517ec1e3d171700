package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.Profile;
import dev.latencyhiding.benchmarks.compare.Bars.Missed;
import dev.latencyhiding.benchmarks.peers.PeerSpec;
import dev.latencyhiding.benchmarks.workloads.Case;
import dev.latencyhiding.benchmarks.workloads.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Profiles the cases in which a bar was missed, on our dispatcher and on the one that it is compared with there, in JVMs
 * that have measured them. The measured rounds themselves are not profiled: that would slow them down.
 */
final class Profiles {
    private final Plan plan;
    private final long begun;
    private final Consumer<String> progress;
    private final List<Profile> profiles = new ArrayList<>();
    private final List<String> missing = new ArrayList<>();

    /**
     * @param begun when the first case of all did, by {@link System#nanoTime}
     * @param progress told before each profile
     */
    Profiles(Plan plan, long begun, Consumer<String> progress) {
        this.plan = plan;
        this.begun = begun;
        this.progress = progress;
    }

    /** What was found, ours first in each case. */
    List<Profile> found() {
        return profiles;
    }

    /** The cases that there is no profile of, with the reason. */
    List<String> missing() {
        return missing;
    }

    /** As long as there is time, in the given order. */
    void take(List<Missed> missed, Children children) {
        for (Missed miss : missed) {
            if (plan.effort().hasTimeForProfile(Duration.ofNanos(System.nanoTime() - begun))) {
                take(miss, children);
            } else {
                missing.add(Labels.of(miss.ours()) + ": no time left");
            }
        }
    }

    private void take(Missed miss, Children children) {
        Workload workload = plan.workload(miss.ours().workload());
        List<Case> cases = workload.cases(plan.effort().scale());
        int index = IntStream.range(0, cases.size())
                .filter(i -> cases.get(i).parameters().equals(miss.ours().parameters()))
                .findFirst()
                .orElseThrow();
        List<Profile> pair = new ArrayList<>();
        for (String dispatcher : List.of(miss.ours().dispatcher(), miss.rival())) {
            String what = Labels.of(miss.ours()) + " on " + dispatcher;
            progress.accept("profile of " + what);
            PeerSpec peer = plan.peer(dispatcher);
            try {
                ProfiledRuns runs = profile(workload, index, children.of(peer));
                pair.add(new Profile(
                        workload.name(), miss.ours().parameters(), dispatcher, runs.parts(), runs.hottest()));
            } catch (ChildFailure e) {
                missing.add(what + ": " + e.getMessage());
                if (!e.childLives()) {
                    children.discard(peer);
                }
                return;
            }
        }
        profiles.addAll(pair);
    }

    private ProfiledRuns profile(Workload workload, int index, Child child) {
        Effort.WarmUp warmUp = plan.effort().warmUp();
        child.settle(workload.name(), index, warmUp.stepMillis(), warmUp.settleMillis());
        return child.profile(workload.name(), index, plan.effort().profileMillis());
    }
}
