package dev.latencyhiding.benchmarks.compare;

/** A workload failed in a child, or took the child with it. The message is all that is known of the cause. */
final class ChildFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final boolean childLives;

    ChildFailure(String message, boolean childLives) {
        super(message);
        this.childLives = childLives;
    }

    boolean childLives() {
        return childLives;
    }
}
