package dev.latencyhiding.benchmarks.report;

import static dev.latencyhiding.benchmarks.report.Numbers.pixel;

import dev.latencyhiding.benchmarks.Measurement;
import java.util.List;

/** One value of each dispatcher, as horizontal bars, with the spread of the samples. */
final class BarChart {
    private static final double RIGHT = 76;

    private final String title;
    private final List<Measurement> bars;
    private final Colours colours;

    BarChart(String title, List<Measurement> bars, Colours colours) {
        this.title = title;
        this.bars = bars;
        this.colours = colours;
    }

    void render(Html out) {
        final double max = bars.stream()
                .mapToDouble(BarChart::upperEnd)
                .filter(Double::isFinite)
                .max()
                .orElse(1);
        final Rows rows = new Rows(bars.stream().map(Measurement::dispatcher).toList(), max, RIGHT);
        rows.open(out, title, "A bar for each dispatcher; the thin lines show the spread of the samples.");
        for (int row = 0; row < bars.size(); row++) {
            renderBar(out, bars.get(row), row, rows.axis());
        }
        out.close();
    }

    private void renderBar(Html out, Measurement bar, int row, Axis axis) {
        final String text = Rows.baseline(row);
        if (!Double.isFinite(bar.value())) {
            out.element("text", "not measured", "x", pixel(Rows.LEFT + 6), "y", text);
            return;
        }
        final double end = axis.at(bar.value());
        out.empty(
                "rect",
                "x",
                pixel(Rows.LEFT),
                "y",
                pixel(Rows.top(row) + 4),
                "width",
                pixel(Math.max(1, end - Rows.LEFT)),
                "height",
                pixel(Rows.HEIGHT - 8),
                "rx",
                "2",
                "class",
                colours.isOurs(bar.dispatcher()) ? "bar ours" : "bar");
        final double spread = Double.isFinite(bar.spread()) ? bar.spread() : 0;
        final double whiskerEnd = axis.at(bar.value() * (1 + spread));
        if (spread > 0) {
            final double from = axis.at(Math.max(0, bar.value() * (1 - spread)));
            renderWhisker(out, from, whiskerEnd, Rows.top(row) + Rows.HEIGHT / 2);
        }
        out.element("text", Numbers.format(bar.value()), "x", pixel(Math.max(end, whiskerEnd) + 7), "y", text);
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
