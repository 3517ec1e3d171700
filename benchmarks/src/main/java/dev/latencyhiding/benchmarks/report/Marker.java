package dev.latencyhiding.benchmarks.report;

import static dev.latencyhiding.benchmarks.report.Numbers.pixel;

/** The shape that marks a line's points, so that lines can be told apart without their colours. */
enum Marker {
    CIRCLE {
        @Override
        void draw(Html out, double x, double y) {
            out.empty("circle", "cx", pixel(x), "cy", pixel(y), "r", "4");
        }
    },
    SQUARE {
        @Override
        void draw(Html out, double x, double y) {
            out.empty("rect", "x", pixel(x - 3.5), "y", pixel(y - 3.5), "width", "7", "height", "7");
        }
    },
    TRIANGLE {
        @Override
        void draw(Html out, double x, double y) {
            polygon(out, x, y, 0, -4.8, 4.4, 3.4, -4.4, 3.4);
        }
    },
    DIAMOND {
        @Override
        void draw(Html out, double x, double y) {
            polygon(out, x, y, 0, -5, 5, 0, 0, 5, -5, 0);
        }
    };

    abstract void draw(Html out, double x, double y);

    static Marker of(int colour) {
        return values()[colour % values().length];
    }

    private static void polygon(Html out, double x, double y, double... offsets) {
        final StringBuilder points = new StringBuilder();
        for (int i = 0; i < offsets.length; i += 2) {
            points.append(pixel(x + offsets[i]))
                    .append(',')
                    .append(pixel(y + offsets[i + 1]))
                    .append(' ');
        }
        out.empty("polygon", "points", points.toString().trim());
    }
}
