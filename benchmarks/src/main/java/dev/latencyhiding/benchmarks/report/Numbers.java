package dev.latencyhiding.benchmarks.report;

import java.util.Locale;

/** Numbers as people read them. */
final class Numbers {
    private Numbers() {}

    /** Three significant digits, but whole numbers in full. */
    static String format(double value) {
        if (!Double.isFinite(value)) {
            return "–";
        }
        final double size = Math.abs(value);
        if (size >= 100 || value == Math.rint(value)) {
            return String.format(Locale.ROOT, "%,d", Math.round(value));
        }
        if (size < 0.001) {
            return String.format(Locale.ROOT, "%.1e", value);
        }
        final int decimals = size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4;
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }

    /** A factor, such as {@code 1.25×}. */
    static String ratio(double ratio) {
        return Double.isFinite(ratio)
                ? String.format(Locale.ROOT, ratio >= 100 ? "%,.0f×" : ratio >= 10 ? "%.1f×" : "%.2f×", ratio)
                : "–";
    }

    static String percent(double part) {
        return Double.isFinite(part) ? String.format(Locale.ROOT, "±%.0f %%", 100 * part) : "–";
    }

    /** For axes: short, with k, M and G. */
    static String tick(double value) {
        final double size = Math.abs(value);
        if (size >= 1e9) {
            return trim(value / 1e9) + "G";
        }
        if (size >= 1e6) {
            return trim(value / 1e6) + "M";
        }
        if (size >= 1e4) {
            return trim(value / 1e3) + "k";
        }
        return size > 0 && size < 0.001 ? String.format(Locale.ROOT, "%.0e", value) : trim(value);
    }

    private static String trim(double value) {
        final String text = String.format(Locale.ROOT, "%.3f", value);
        return text.replaceAll("\\.?0+$", "");
    }

    /** A place on a drawing. */
    static String pixel(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
