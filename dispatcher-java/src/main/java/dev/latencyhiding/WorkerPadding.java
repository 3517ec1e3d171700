package dev.latencyhiding;

/**
 * A cache line between the fields of {@link WorkerFields} and those of {@link Worker}. A class of its
 * own, because within one class the JVM puts references behind all longs.
 */
@SuppressWarnings("unused")
abstract class WorkerPadding extends WorkerFields {
    /** Fills the hole before the longs, if there is one, lest the JVM move a field of Worker there. */
    private int hole;

    private long p0;
    private long p1;
    private long p2;
    private long p3;
    private long p4;
    private long p5;
    private long p6;
    private long p7;

    WorkerPadding(StealableSet set) {
        super(set);
    }
}
