package dev.latencyhiding.samples;

import dev.latencyhiding.SchedulerStats;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Shows a run while it goes on: drawn in place on a terminal, a line now and then otherwise. It only reads the
 * scheduler's statistics, from a thread of its own.
 */
final class LiveView implements AutoCloseable {
    private static final int SAMPLE_MILLIS = 50;
    private static final int SAMPLES_PER_LINE = 10;
    private static final int BAR = 40;

    private final PrintStream out;
    private final boolean terminal;
    private final Progress progress;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(LiveView::daemon);
    private int drawn;
    private int samples;

    LiveView(PrintStream out, boolean terminal, Progress progress) {
        this.out = out;
        this.terminal = terminal;
        this.progress = progress;
        final var unused = timer.scheduleAtFixedRate(this::show, SAMPLE_MILLIS, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private synchronized void show() {
        final Progress.Sample sample = progress.sample();
        if (terminal) {
            erase();
            final List<String> lines = draw(sample);
            lines.forEach(out::println);
            drawn = lines.size();
        } else if (++samples % SAMPLES_PER_LINE == 0) {
            out.println(line(sample));
        }
        out.flush();
    }

    /** Back to where the last drawing began. */
    private void erase() {
        if (drawn > 0) {
            out.print("\u001b[" + drawn + "F\u001b[J");
            drawn = 0;
        }
    }

    private String line(Progress.Sample sample) {
        final String first = String.format(
                Locale.ROOT,
                "  %-20s %4.1f s  %4d documents, %4d beats",
                progress.name,
                sample.nanos() / 1e9,
                sample.done(),
                sample.beats());
        final SchedulerStats stats = sample.stats();
        return stats == null
                ? first
                : first
                        + String.format(
                                Locale.ROOT,
                                "; deques %d active, %d suspended, %d resumable, %d muggable; %d steals, %d muggings",
                                stats.activeDeques(),
                                stats.suspendedDeques(),
                                stats.resumableDeques(),
                                stats.muggableDeques(),
                                stats.steals(),
                                stats.muggings());
    }

    private List<String> draw(Progress.Sample sample) {
        final List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "  %-20s %s %4d of %d documents, %.1f s",
                progress.name,
                bar(sample.done(), progress.documents),
                sample.done(),
                progress.documents,
                sample.nanos() / 1e9));
        lines.add(String.format(
                Locale.ROOT,
                "  heartbeat            %s %4d of %d",
                bar(sample.beats(), sample.nanos() / 1e6 / Progress.BEAT_MILLIS),
                sample.beats(),
                Math.round(sample.nanos() / 1e6 / Progress.BEAT_MILLIS)));
        final SchedulerStats stats = sample.stats();
        if (stats != null) {
            final int awake = stats.workers() - stats.sleepingWorkers();
            lines.add(row("workers awake", awake, stats.workers()));
            lines.add(row("deques active", stats.activeDeques(), progress.documents));
            lines.add(row("       suspended", stats.suspendedDeques(), progress.documents));
            lines.add(row("       resumable", stats.resumableDeques(), progress.documents));
            lines.add(row("       muggable", stats.muggableDeques(), progress.documents));
            lines.add(String.format(
                    Locale.ROOT,
                    "  %d steals of %d tried, %d muggings, %d wake-ups",
                    stats.steals(),
                    stats.stealsTried(),
                    stats.muggings(),
                    stats.wakeUps()));
        }
        return lines;
    }

    private static String row(String name, long value, long most) {
        return String.format(Locale.ROOT, "  %-20s %s %4d", name, bar((double) value, (double) most), value);
    }

    private static String bar(double value, double most) {
        final int full = most <= 0 ? 0 : (int) Math.min(BAR, Math.round(BAR * value / most));
        return "█".repeat(full) + "·".repeat(BAR - full);
    }

    private static Thread daemon(Runnable task) {
        final Thread thread = new Thread(task, "live-view");
        thread.setDaemon(true);
        return thread;
    }

    /** Leaves no drawing behind. */
    @Override
    public void close() {
        timer.shutdownNow();
        synchronized (this) {
            erase();
        }
    }
}
