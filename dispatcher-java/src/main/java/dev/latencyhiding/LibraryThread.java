package dev.latencyhiding;

import org.jspecify.annotations.Nullable;

/**
 * A thread that the library made. It can carry a suspension in a field while it completes an operation,
 * where other threads need a thread local.
 */
abstract class LibraryThread extends Thread {
    private static final ThreadLocal<@Nullable Suspension> CARRIED_BY_OTHERS = new ThreadLocal<>();

    private @Nullable Suspension carried;

    LibraryThread(String name, boolean daemon) {
        // No inherited thread locals: they would keep whatever the creating thread had alive.
        super(null, null, name, 0, false);
        setDaemon(daemon);
        setContextClassLoader(LibraryThread.class.getClassLoader());
    }

    /** The suspension that the current thread is about to resume, if it is in {@link Suspension#resumeBy}. */
    static @Nullable Suspension carried() {
        return Thread.currentThread() instanceof LibraryThread thread ? thread.carried : CARRIED_BY_OTHERS.get();
    }

    static void carry(@Nullable Suspension suspension) {
        if (Thread.currentThread() instanceof LibraryThread thread) {
            thread.carried = suspension;
        } else if (suspension != null) {
            CARRIED_BY_OTHERS.set(suspension);
        } else {
            CARRIED_BY_OTHERS.remove();
        }
    }
}
