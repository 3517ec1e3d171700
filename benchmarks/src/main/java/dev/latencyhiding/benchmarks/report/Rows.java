package dev.latencyhiding.benchmarks.report;

import static dev.latencyhiding.benchmarks.report.Numbers.pixel;

import java.util.List;

/** The frame of a chart with a row for each dispatcher: a grid, the scale below it, and the names on its left. */
final class Rows {
    static final double HEIGHT = 28;
    static final double LEFT = 150;

    private static final double WIDTH = 640;
    private static final double BOTTOM = 26;

    private final List<String> names;
    private final Axis axis;

    /**
     * @param names of the rows
     * @param max the right end of the scale
     * @param right how much room to leave on the right of it
     */
    Rows(List<String> names, double max, double right) {
        this.names = names;
        this.axis = Axis.linear(0, max, LEFT, WIDTH - right);
    }

    Axis axis() {
        return axis;
    }

    static double top(int row) {
        return row * HEIGHT;
    }

    /** Where to write a line of text in the middle of a row. */
    static String baseline(int row) {
        return pixel(top(row) + HEIGHT / 2 + 4);
    }

    /** Begins the chart. The caller draws what is in the rows, and closes it. */
    void open(Html out, String title, String description) {
        final double bottom = top(names.size());
        final String height = pixel(bottom + BOTTOM);
        out.open("svg", "viewBox", "0 0 " + pixel(WIDTH) + " " + height, "role", "img", "class", "chart");
        out.element("title", title);
        out.element("desc", description);
        for (double tick : axis.ticks()) {
            final String at = pixel(axis.at(tick));
            out.empty("line", "x1", at, "x2", at, "y1", "0", "y2", pixel(bottom), "class", "grid");
            out.element("text", Numbers.tick(tick), "x", at, "y", pixel(bottom + 18), "text-anchor", "middle");
        }
        final String x = pixel(LEFT - 8);
        for (int row = 0; row < names.size(); row++) {
            final String y = baseline(row);
            out.element("text", names.get(row), "x", x, "y", y, "text-anchor", "end", "class", "label");
        }
    }
}
