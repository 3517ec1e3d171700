package dev.latencyhiding.samples;

import dev.latencyhiding.SchedulerStats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The outcome of the demonstration as one HTML file with its charts in it: nothing to load, nothing to install. */
final class DemoReport {
    private static final int WIDTH = 760;
    private static final int LEFT = 170;
    private static final int ROW = 34;
    private static final int TIMELINE = 220;
    private static final List<String> COLORS = List.of("#b5651d", "#6b7a8f", "#1b6ca8");

    /** A line of the chart over time. */
    private record Curve(String name, String color, ToDoubleFunction<SchedulerStats> value) {}

    private static final List<Curve> CURVES = List.of(
            new Curve("suspended", "#1b6ca8", SchedulerStats::suspendedDeques),
            new Curve("resumable", "#2a9d5c", SchedulerStats::resumableDeques),
            new Curve("muggable", "#d1495b", SchedulerStats::muggableDeques),
            new Curve("active", "#444444", SchedulerStats::activeDeques));

    private DemoReport() {}

    static Path write(Path file, List<Progress.Outcome> outcomes) throws IOException {
        final Path target = file.toAbsolutePath().normalize();
        Files.createDirectories(target.getParent());
        return Files.writeString(target, html(outcomes));
    }

    static String html(List<Progress.Outcome> outcomes) {
        final Progress.Outcome last = outcomes.get(outcomes.size() - 1);
        return """
                <!doctype html>
                <html lang="en">
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width">
                <title>Latency Hiding: the demonstration</title>
                <style>
                body { font: 16px/1.5 system-ui, sans-serif; max-width: 780px; margin: 2em auto; padding: 0 1em; color: #222 }
                h2 { margin: 1.6em 0 0.3em; font-size: 1.1em }
                svg { display: block; max-width: 100%; height: auto } text { font-size: 14px; fill: #222 }
                pre { background: #f4f4f4; padding: 0.8em; overflow-x: auto }
                </style>
                <h1>Fetch, parse, compute, reduce</h1>
                <p>The same program, with as many threads, on three schedulers. Beside it a heart wants to beat every
                """
                + Progress.BEAT_MILLIS
                + " ms on the same threads.</p>\n"
                + bars("Time until all is done, in ms", outcomes, Progress.Outcome::millis)
                + bars("Heartbeats of those wanted, in percent", outcomes, DemoReport::beatsInPercent)
                + bars("The latest heartbeat came so late, in ms", outcomes, Progress.Outcome::latestBeatMillis)
                + timeline(last)
                + "<pre>" + last.samples().get(last.samples().size() - 1).stats() + "</pre>\n</html>\n";
    }

    private static double beatsInPercent(Progress.Outcome outcome) {
        return 100.0 * outcome.beats() / Math.max(1, outcome.wantedBeats());
    }

    private static String bars(
            String title, List<Progress.Outcome> outcomes, ToDoubleFunction<Progress.Outcome> value) {
        final double most =
                Math.max(1, outcomes.stream().mapToDouble(value).max().orElse(1));
        final StringBuilder svg = new StringBuilder(begin(title, ROW * outcomes.size()));
        for (int i = 0; i < outcomes.size(); i++) {
            final Progress.Outcome outcome = outcomes.get(i);
            final double width = (WIDTH - LEFT - 80) * value.applyAsDouble(outcome) / most;
            final int y = i * ROW;
            svg.append(text(0, y + 22, outcome.name()));
            svg.append(String.format(
                    Locale.ROOT,
                    "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"24\" fill=\"%s\"/>%n",
                    LEFT,
                    y + 5,
                    Math.max(1, width),
                    COLORS.get(i % COLORS.size())));
            svg.append(
                    text(LEFT + width + 8, y + 22, String.format(Locale.ROOT, "%.0f", value.applyAsDouble(outcome))));
        }
        return svg.append("</svg>\n").toString();
    }

    private static String timeline(Progress.Outcome outcome) {
        final double most = Math.max(
                1,
                outcome.samples().stream()
                        .flatMapToDouble(s -> CURVES.stream().mapToDouble(c -> valueOf(c, s)))
                        .max()
                        .orElse(1));
        final StringBuilder svg = new StringBuilder(
                begin("Deques by state on LatencyHiding, over " + outcome.millis() + " ms", TIMELINE + 40));
        svg.append(text(0, 16, String.format(Locale.ROOT, "%.0f", most)));
        svg.append(text(0, TIMELINE, "0"));
        for (int i = 0; i < CURVES.size(); i++) {
            final Curve curve = CURVES.get(i);
            svg.append("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" + curve.color() + "\" points=\"");
            for (final Progress.Sample sample : outcome.samples()) {
                svg.append(String.format(
                        Locale.ROOT,
                        "%.1f,%.1f ",
                        50 + (WIDTH - 60.0) * sample.nanos() / Math.max(1, outcome.nanos()),
                        TIMELINE - (TIMELINE - 10) * valueOf(curve, sample) / most));
            }
            svg.append("\"/>\n");
            svg.append(String.format(
                    Locale.ROOT,
                    "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"14\" fill=\"%s\"/>%n",
                    50 + 150 * i,
                    TIMELINE + 18,
                    curve.color()));
            svg.append(text(70 + 150 * i, TIMELINE + 30, curve.name()));
        }
        return svg.append("</svg>\n").toString();
    }

    private static double valueOf(Curve curve, Progress.Sample sample) {
        final SchedulerStats stats = sample.stats();
        return stats == null ? 0 : curve.value().applyAsDouble(stats);
    }

    private static String begin(String title, int height) {
        return "<h2>" + title + "</h2>\n<svg viewBox=\"0 0 " + WIDTH + " " + height + "\" width=\"" + WIDTH
                + "\" role=\"img\" aria-label=\"" + title + "\">\n";
    }

    private static String text(double x, double y, String text) {
        return String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\">%s</text>%n", x, y, text);
    }
}
