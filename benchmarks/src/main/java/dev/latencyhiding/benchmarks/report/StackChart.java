package dev.latencyhiding.benchmarks.report;

import static dev.latencyhiding.benchmarks.report.Numbers.pixel;

import dev.latencyhiding.benchmarks.Profile;
import dev.latencyhiding.benchmarks.Profile.Part;
import java.util.List;

/** Where the time of a run went: a horizontal bar for each dispatcher, made of the parts. */
final class StackChart {
    private static final double RIGHT = 24;

    private final String title;
    private final List<Profile> profiles;

    StackChart(String title, List<Profile> profiles) {
        this.title = title;
        this.profiles = profiles;
    }

    /** What the colours mean, for all charts of a page. */
    static void renderLegend(Html out) {
        out.open("ul", "class", "legend");
        for (Part part : Part.values()) {
            out.open("li").open("svg", "viewBox", "0 0 26 12", "aria-hidden", "true", "class", style(part));
            out.empty("rect", "x", "1", "y", "1", "width", "24", "height", "10");
            out.close().text(part.label()).close();
        }
        out.close();
    }

    void render(Html out) {
        final double max =
                profiles.stream().mapToDouble(Profile::allMillis).max().orElse(1);
        final Rows rows = new Rows(profiles.stream().map(Profile::dispatcher).toList(), max, RIGHT);
        rows.open(out, title, "A bar for each dispatcher, made of the parts of the processors' time in a run.");
        for (int row = 0; row < profiles.size(); row++) {
            renderBar(out, profiles.get(row), Rows.top(row) + 4, rows.axis());
        }
        out.close();
    }

    private static void renderBar(Html out, Profile profile, double top, Axis axis) {
        double begin = 0;
        for (Part part : Part.values()) {
            final double end = begin + profile.millis(part);
            if (end > begin) {
                out.open("g", "class", style(part));
                out.open(
                        "rect",
                        "x",
                        pixel(axis.at(begin)),
                        "y",
                        pixel(top),
                        "width",
                        pixel(axis.at(end) - axis.at(begin)),
                        "height",
                        pixel(Rows.HEIGHT - 8));
                out.element("title", part.label() + " " + Numbers.format(profile.millis(part)) + " ms");
                out.close().close();
            }
            begin = end;
        }
    }

    /** The colours of the style sheet; ours is that of the scheduler. */
    private static String style(Part part) {
        return switch (part) {
            case SCHEDULER -> "s0";
            case SLEEPING -> "s1";
            case PROGRAM -> "s2";
            case COROUTINES -> "s3";
            case COLLECTOR -> "s4";
            case COMPILER -> "s5";
            case SOCKETS -> "s6";
            case OTHER -> "s7";
            case IDLE -> "idle";
        };
    }
}
