package dev.latencyhiding.benchmarks.report;

import static dev.latencyhiding.benchmarks.report.Numbers.pixel;

import dev.latencyhiding.benchmarks.Measurement;
import java.util.List;

/** One value of each dispatcher, as horizontal bars, with the spread of the samples. */
final class BarChart {
    private static final double WIDTH = 640;
    private static final double ROW = 26;
    private static final double LEFT = 150;
    private static final double RIGHT = 76;
    private static final double BOTTOM = 26;

    private final String title;
    private final List<Measurement> bars;
    private final Colours colours;

    BarChart(String title, List<Measurement> bars, Colours colours) {
        this.title = title;
        this.bars = bars;
        this.colours = colours;
    }

    void render(Html out) {
        final double height = ROW * bars.size() + BOTTOM;
        final double max = bars.stream()
                .mapToDouble(BarChart::upperEnd)
                .filter(Double::isFinite)
                .max()
                .orElse(1);
        final Axis axis = Axis.linear(0, max, LEFT, WIDTH - RIGHT);
        out.open("svg", "viewBox", "0 0 " + pixel(WIDTH) + " " + pixel(height), "role", "img", "class", "chart");
        out.element("title", title);
        out.element("desc", "A bar for each dispatcher; the thin lines show the spread of the samples.");
        for (double tick : axis.ticks()) {
            final String at = pixel(axis.at(tick));
            out.empty("line", "x1", at, "x2", at, "y1", "0", "y2", pixel(height - BOTTOM), "class", "grid");
            out.element("text", Numbers.tick(tick), "x", at, "y", pixel(height - 8), "text-anchor", "middle");
        }
        for (int row = 0; row < bars.size(); row++) {
            renderBar(out, bars.get(row), row * ROW, axis);
        }
        out.close();
    }

    private void renderBar(Html out, Measurement bar, double top, Axis axis) {
        final String middle = pixel(top + ROW / 2 + 4);
        out.element(
                "text", bar.dispatcher(), "x", pixel(LEFT - 8), "y", middle, "text-anchor", "end", "class", "label");
        if (!Double.isFinite(bar.value())) {
            out.element("text", "not measured", "x", pixel(LEFT + 6), "y", middle);
            return;
        }
        final double end = axis.at(bar.value());
        out.empty(
                "rect",
                "x",
                pixel(LEFT),
                "y",
                pixel(top + 4),
                "width",
                pixel(Math.max(1, end - LEFT)),
                "height",
                pixel(ROW - 8),
                "rx",
                "2",
                "class",
                colours.isOurs(bar.dispatcher()) ? "bar ours" : "bar");
        final double spread = Double.isFinite(bar.spread()) ? bar.spread() : 0;
        final double whiskerEnd = axis.at(bar.value() * (1 + spread));
        if (spread > 0) {
            final double from = axis.at(Math.max(0, bar.value() * (1 - spread)));
            renderWhisker(out, from, whiskerEnd, top + ROW / 2);
        }
        out.element("text", Numbers.format(bar.value()), "x", pixel(Math.max(end, whiskerEnd) + 7), "y", middle);
    }

    private static void renderWhisker(Html out, double from, double to, double y) {
        out.empty(
                "path",
                "d",
                "M" + pixel(from) + " " + pixel(y - 4) + "v8m0 -4H" + pixel(to) + "m0 -4v8",
                "class",
                "whisker");
    }

    private static double upperEnd(Measurement bar) {
        return bar.value() * (1 + (Double.isFinite(bar.spread()) ? bar.spread() : 0));
    }
}
