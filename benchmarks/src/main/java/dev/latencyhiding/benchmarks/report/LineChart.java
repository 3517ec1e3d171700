package dev.latencyhiding.benchmarks.report;

import static dev.latencyhiding.benchmarks.report.Numbers.pixel;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Values over a number, such as the number of workers. Logarithmic axes are chosen where the values call for them. */
final class LineChart {
    private static final double WIDTH = 640;
    private static final double HEIGHT = 340;
    private static final double LEFT = 62;
    private static final double RIGHT = 24;
    private static final double TOP = 12;
    private static final double BOTTOM = 48;
    /** Beyond this ratio of the largest to the smallest value a linear axis hides the small ones. */
    private static final double LINEAR_RANGE = 40;

    private final String title;
    private final String xLabel;
    private final String yLabel;
    private final List<Series> series;

    LineChart(String title, String xLabel, String yLabel, List<Series> series) {
        this.title = title;
        this.xLabel = xLabel;
        this.yLabel = yLabel;
        this.series = series;
    }

    void render(Html out) {
        final double[] xs = values(true);
        final double[] ys = values(false);
        if (ys.length == 0) {
            out.element("p", "Nothing was measured.");
            return;
        }
        final Axis x = axis(xs, 2, LEFT, WIDTH - RIGHT);
        final Axis y = axis(ys, 10, HEIGHT - BOTTOM, TOP);
        renderLegend(out);
        out.open("svg", "viewBox", "0 0 " + pixel(WIDTH) + " " + pixel(HEIGHT), "role", "img", "class", "chart");
        out.element("title", title);
        out.element("desc", "A line for each of " + names() + "; " + yLabel + " over " + xLabel + ".");
        renderAxes(out, x, y);
        // Backwards, so that the first line, which is ours, is on top.
        for (int i = series.size() - 1; i >= 0; i--) {
            renderLine(out, series.get(i), x, y);
        }
        out.close();
    }

    private void renderLegend(Html out) {
        out.open("ul", "class", "legend");
        for (Series line : series) {
            out.open("li").open("svg", "viewBox", "0 0 26 12", "aria-hidden", "true", "class", "s" + line.colour());
            out.empty("line", "x1", "1", "x2", "25", "y1", "6", "y2", "6", "class", "line");
            Marker.of(line.colour()).draw(out, 13, 6);
            out.close().text(line.name()).close();
        }
        out.close();
    }

    private void renderAxes(Html out, Axis x, Axis y) {
        for (double tick : y.ticks()) {
            final String at = pixel(y.at(tick));
            out.empty("line", "x1", pixel(LEFT), "x2", pixel(WIDTH - RIGHT), "y1", at, "y2", at, "class", "grid");
            out.element(
                    "text", Numbers.tick(tick), "x", pixel(LEFT - 8), "y", pixel(y.at(tick) + 4), "text-anchor", "end");
        }
        for (double tick : x.ticks()) {
            out.element(
                    "text",
                    Numbers.tick(tick),
                    "x",
                    pixel(x.at(tick)),
                    "y",
                    pixel(HEIGHT - BOTTOM + 20),
                    "text-anchor",
                    "middle");
        }
        final double middle = (LEFT + WIDTH - RIGHT) / 2;
        out.element("text", xLabel, "x", pixel(middle), "y", pixel(HEIGHT - 6), "text-anchor", "middle");
        final String turned = "translate(14 " + pixel((TOP + HEIGHT - BOTTOM) / 2) + ") rotate(-90)";
        out.element("text", yLabel, "transform", turned, "text-anchor", "middle");
    }

    private void renderLine(Html out, Series line, Axis x, Axis y) {
        final Map<Double, Double> finite = line.points().entrySet().stream()
                .filter(point -> Double.isFinite(point.getValue()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (one, other) -> one, TreeMap::new));
        final String path = finite.entrySet().stream()
                .map(point -> pixel(x.at(point.getKey())) + "," + pixel(y.at(point.getValue())))
                .collect(Collectors.joining(" "));
        out.open("g", "class", "s" + line.colour());
        out.empty("polyline", "points", path, "class", "line");
        finite.forEach((at, value) -> Marker.of(line.colour()).draw(out, x.at(at), y.at(value)));
        out.close();
    }

    private Axis axis(double[] values, int base, double fromPixel, double toPixel) {
        double min = Double.POSITIVE_INFINITY;
        double max = Double.NEGATIVE_INFINITY;
        for (double value : values) {
            min = Math.min(min, value);
            max = Math.max(max, value);
        }
        return min > 0 && max / min > LINEAR_RANGE
                ? Axis.logarithmic(min, max, base, fromPixel, toPixel)
                : Axis.linear(min, max, fromPixel, toPixel);
    }

    private double[] values(boolean horizontal) {
        return series.stream()
                .flatMap(line -> line.points().entrySet().stream())
                .filter(point -> Double.isFinite(point.getValue()))
                .mapToDouble(point -> horizontal ? point.getKey() : point.getValue())
                .toArray();
    }

    private String names() {
        return series.stream().map(Series::name).collect(Collectors.joining(", "));
    }
}
