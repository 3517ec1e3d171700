package dev.latencyhiding.benchmarks;

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
}
