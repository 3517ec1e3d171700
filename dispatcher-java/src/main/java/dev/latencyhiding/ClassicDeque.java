package dev.latencyhiding;

/**
 * The one deque of a {@link ClassicWorker}. It is ACTIVE, or SUSPENDED while its worker is blocked, and
 * RESUMABLE from the end of the wait until the worker notices.
 */
final class ClassicDeque extends ProwsDeque {
    final ClassicWorker owner;

    ClassicDeque(ClassicWorker owner) {
        this.owner = owner;
    }
}
