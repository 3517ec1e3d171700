package dev.latencyhiding;

/**
 * Keeps {@code top}, which thieves write, a cache line away from the fields of {@link WorkDeque},
 * which the owner writes. A superclass, because the JVM orders fields freely within a class only.
 */
@SuppressWarnings("unused")
abstract class PaddedTop {
    /** Fills the hole after the object header, lest the JVM move a field of the subclass there. */
    private int hole;

    /** Grows by one with each node taken at the top, and with each last node. */
    volatile long top;

    private long p0;
    private long p1;
    private long p2;
    private long p3;
    private long p4;
    private long p5;
    private long p6;
    private long p7;
}
