package dev.latencyhiding.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.latencyhiding.benchmarks.Better;
import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.Profile;
import dev.latencyhiding.benchmarks.Profile.Part;
import dev.latencyhiding.benchmarks.compare.Bars.Missed;
import dev.latencyhiding.benchmarks.peers.ExtraDispatcher;
import dev.latencyhiding.benchmarks.peers.PeerSpec;
import dev.latencyhiding.benchmarks.peers.Peers;
import dev.latencyhiding.benchmarks.workloads.Scale;
import dev.latencyhiding.benchmarks.workloads.Workloads;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Starts real JVMs. */
final class ProfilesTest {
    private static final String BROKEN = "Broken";
    private static final PeerSpec OURS = Peers.named(Peers.OURS);
    private static final PeerSpec DEFAULT = Peers.named(Peers.DEFAULT);
    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    @Test
    void take_profilesOursAndTheRival_onTheSameCase() {
        Profiles profiles = take(effort(null), missed("mapreduce", Map.of("δ", "0 ms"), Peers.DEFAULT));

        assumeFalse(profiles.missing().toString().contains(Sampling.UNAVAILABLE), "async-profiler cannot run here");
        assertEquals(List.of(), profiles.missing());
        assertEquals(
                List.of(Peers.OURS, Peers.DEFAULT),
                profiles.found().stream().map(Profile::dispatcher).toList());
        for (Profile profile : profiles.found()) {
            assertEquals("mapreduce", profile.workload());
            assertEquals(Map.of("δ", "0 ms"), profile.parameters());
            double busy = profile.allMillis() - profile.millis(Part.IDLE);
            assertTrue(busy > 0, profile::toString);
            assertTrue(profile.millis(Part.PROGRAM) > 0, profile::toString);
            assertTrue(profile.millis(Part.OTHER) < busy / 2, profile::toString);
            assertTrue(profile.hottest().stream().allMatch(method -> method.millis() <= busy), profile::toString);
        }
        assertTrue(printed(profiles).contains("mapreduce (δ 0 ms)"), () -> printed(profiles));
    }

    @Test
    void take_dispatcherThatFails_isMissing_andTheNextOneIsProfiled() {
        Profiles profiles =
                take(effort(null), missed("fib", Map.of(), BROKEN), missed("yield", Map.of(), Peers.DEFAULT));

        assumeFalse(profiles.missing().toString().contains(Sampling.UNAVAILABLE), "async-profiler cannot run here");
        assertEquals(1, profiles.missing().size());
        assertTrue(profiles.missing().get(0).startsWith("fib on Broken: "), profiles.missing()::toString);
        assertEquals(
                List.of("yield", "yield"),
                profiles.found().stream().map(Profile::workload).toList());
    }

    @Test
    void take_withoutTime_saysWhatIsMissing() {
        Profiles profiles = take(effort(Duration.ZERO), missed("fib", Map.of(), Peers.DEFAULT));

        assertEquals(List.of(), profiles.found());
        assertEquals(List.of("fib: no time left"), profiles.missing());
        assertEquals("No profile of fib: no time left", printed(profiles).strip());
    }

    private static Effort effort(@Nullable Duration limit) {
        return new Effort(Scale.TINY, 1, new Effort.WarmUp(1, 1, 1, 1), 3, true, 200, limit);
    }

    private static Profiles take(Effort effort, Missed... missed) {
        PeerSpec broken = ExtraDispatcher.of(BROKEN, "no.such.Class");
        Plan plan = new Plan(Workloads.all(), List.of(OURS, DEFAULT, broken), List.of(), 1, 1, effort);
        ChildStarter starter = new ChildStarter(
                effort.scale(),
                PROCESSORS,
                Duration.ofMinutes(1),
                Map.of(BROKEN, "no.such.Class"),
                List.of(),
                List.of(),
                true,
                null);
        Profiles profiles = new Profiles(plan, System.nanoTime(), what -> {});
        try (Children children =
                new Children(peer -> starter.start(plan.workloads().get(0), peer))) {
            profiles.take(List.of(missed), children);
        }
        return profiles;
    }

    private static Missed missed(String workload, Map<String, String> parameters, String rival) {
        Measurement ours = new Measurement(
                workload,
                new TreeMap<>(parameters),
                Peers.OURS,
                "time",
                "ms",
                Better.LOWER,
                5,
                0,
                List.of(5.0),
                null,
                null,
                null);
        return new Missed(ours, rival, 0.1);
    }

    private static String printed(Profiles profiles) {
        StringWriter out = new StringWriter();
        new Tables(new PrintWriter(out), List.of(), 1).printProfiles(profiles.found(), profiles.missing());
        return out.toString();
    }
}
