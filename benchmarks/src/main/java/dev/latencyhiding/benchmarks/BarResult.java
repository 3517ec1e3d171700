package dev.latencyhiding.benchmarks;

import java.util.Locale;

/**
 * A bar that the project set itself, and where it stands.
 *
 * @param number the number of the bar
 * @param bar what is asked
 * @param subject the case it was checked on
 * @param verdict how it ended
 * @param value what was reached, in the bar's own terms (mostly a ratio)
 * @param limit what was asked, in the same terms
 */
public record BarResult(int number, String bar, String subject, Verdict verdict, double value, double limit) {
    /** How it ended. */
    public enum Verdict {
        /** Reached. */
        MET,
        /** Not reached, but by less than the spread of the measurements. */
        LEVEL,
        /** Not reached. */
        MISSED,
        /** The run did not contain what is needed. */
        NOT_MEASURED
    }

    /**
     * The verdict in words, with the distance from the limit.
     *
     * @return for example {@code missed by 7 %}
     */
    public String inWords() {
        double distance = 100 * Math.abs(value / limit - 1);
        return switch (verdict) {
            case MET -> "met";
            case LEVEL -> String.format(Locale.ROOT, "level, %.1f %% off", distance);
            case MISSED -> String.format(Locale.ROOT, "missed by %.1f %%", distance);
            case NOT_MEASURED -> "not measured";
        };
    }
}
