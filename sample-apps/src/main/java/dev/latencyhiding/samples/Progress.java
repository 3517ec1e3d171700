package dev.latencyhiding.samples;

import dev.latencyhiding.LatencyHidingScheduler;
import dev.latencyhiding.SchedulerStats;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * How one run of the demonstration goes: documents done, and the beats of a heart that wants to beat every {@value
 * #BEAT_MILLIS} ms on the threads that do the work.
 */
final class Progress {
    static final int BEAT_MILLIS = 10;

    /** The run at one moment; without statistics if no scheduler of ours runs it. */
    record Sample(long nanos, int done, int beats, @Nullable SchedulerStats stats) {}

    final String name;
    final int documents;
    private final @Nullable LatencyHidingScheduler scheduler;
    private final long begun = System.nanoTime();
    private final AtomicInteger done = new AtomicInteger();
    private final List<Long> gaps = Collections.synchronizedList(new ArrayList<>());
    private final List<Sample> samples = Collections.synchronizedList(new ArrayList<>());
    private volatile long lastBeat = begun;

    Progress(String name, int documents, @Nullable LatencyHidingScheduler scheduler) {
        this.name = name;
        this.documents = documents;
        this.scheduler = scheduler;
    }

    void documentDone() {
        done.incrementAndGet();
    }

    /** One at a time. */
    void beat() {
        final long now = System.nanoTime();
        gaps.add(now - lastBeat);
        lastBeat = now;
    }

    Sample sample() {
        final SchedulerStats stats = scheduler == null ? null : scheduler.stats();
        final Sample sample = new Sample(System.nanoTime() - begun, done.get(), gaps.size(), stats);
        samples.add(sample);
        return sample;
    }

    Outcome end(long result) {
        final long nanos = System.nanoTime() - begun;
        sample();
        final long sinceLast = System.nanoTime() - lastBeat;
        final long longest = Math.max(
                sinceLast, gaps.stream().mapToLong(Long::longValue).max().orElse(0));
        final long late = Math.max(0, longest - TimeUnit.MILLISECONDS.toNanos(BEAT_MILLIS));
        return new Outcome(name, nanos, result, gaps.size(), late, List.copyOf(samples));
    }

    /** What is reported of a run. */
    record Outcome(String name, long nanos, long result, int beats, long latestBeatNanos, List<Sample> samples) {
        long millis() {
            return TimeUnit.NANOSECONDS.toMillis(nanos);
        }

        long latestBeatMillis() {
            return TimeUnit.NANOSECONDS.toMillis(latestBeatNanos);
        }

        long wantedBeats() {
            return millis() / BEAT_MILLIS;
        }
    }
}
