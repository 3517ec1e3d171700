package dev.latencyhiding.benchmarks.report;

import java.util.ArrayList;
import java.util.List;

/** Maps values to places on a drawing, linearly or logarithmically, and knows where its ticks are. */
final class Axis {
    private static final int TICKS = 6;

    private final boolean logarithmic;
    private final double low;
    private final double high;
    private final double fromPixel;
    private final double toPixel;
    private final List<Double> ticks;

    private Axis(boolean logarithmic, List<Double> ticks, double low, double high, double fromPixel, double toPixel) {
        this.logarithmic = logarithmic;
        this.ticks = ticks;
        this.low = low;
        this.high = high;
        this.fromPixel = fromPixel;
        this.toPixel = toPixel;
    }

    /** From zero, or the lowest value if that is negative, to a round number not below the highest. */
    static Axis linear(double min, double max, double fromPixel, double toPixel) {
        final double low = Math.min(0, min);
        final double range = max > low ? max - low : 1;
        final double step = roundStep(range / TICKS);
        final double first = Math.floor(low / step);
        final double last = Math.ceil((low + range) / step - 1e-9);
        final List<Double> ticks = new ArrayList<>();
        for (double i = first; i <= last; i++) {
            ticks.add(i * step);
        }
        return new Axis(false, ticks, first * step, last * step, fromPixel, toPixel);
    }

    /** The next of 1, 2, 5, 10, … */
    private static double roundStep(double atLeast) {
        final double power = Math.pow(10, Math.floor(Math.log10(atLeast)));
        for (int factor : new int[] {1, 2, 5}) {
            if (factor * power >= atLeast * (1 - 1e-9)) {
                return factor * power;
            }
        }
        return 10 * power;
    }

    /** Between powers of the base; the values must be positive. */
    static Axis logarithmic(double min, double max, int base, double fromPixel, double toPixel) {
        final double unit = Math.log(base);
        final int first = (int) Math.floor(Math.log(min) / unit + 1e-9);
        final int last = Math.max(first + 1, (int) Math.ceil(Math.log(max) / unit - 1e-9));
        final int stride = Math.max(1, (last - first + TICKS) / (TICKS + 1));
        final List<Double> ticks = new ArrayList<>();
        for (int exponent = first; exponent <= last; exponent += stride) {
            ticks.add(Math.pow(base, exponent));
        }
        return new Axis(true, ticks, Math.pow(base, first), Math.pow(base, last), fromPixel, toPixel);
    }

    double at(double value) {
        final double part = logarithmic ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
        return fromPixel + part * (toPixel - fromPixel);
    }

    List<Double> ticks() {
        return ticks;
    }
}
