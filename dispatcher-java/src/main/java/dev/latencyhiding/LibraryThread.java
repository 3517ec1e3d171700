package dev.latencyhiding;

import org.jspecify.annotations.Nullable;

/**
 * A thread that the library made. What it is at present is kept in fields, where other threads would need
 * a thread local: the worker that it acts as, if any, and the suspension that it is about to resume.
 */
abstract class LibraryThread extends Thread {
    /**
     * What other threads carry: an array of one element, which stays when they carry nothing. Entries that come and go
     * cost a native call each, since they are weak references: 6 % of the time of threads that only complete futures.
     * A plain array keeps no class of this library alive in threads that outlive it.
     */
    private static final ThreadLocal<@Nullable Object @Nullable []> CARRIED_BY_OTHERS = new ThreadLocal<>();

    /**
     * Whether any other thread has ever carried one. Until then none need be asked, which would cost each of them
     * an entry in its table. Plain: a thread that did sees its own write.
     */
    private static boolean othersCarry;

    // Used by this thread only, as the other.
    private @Nullable Suspension carried;

    private @Nullable Worker worker;

    LibraryThread(String name, boolean daemon) {
        // No inherited thread locals: they would keep whatever the creating thread had alive.
        super(null, null, name, 0, false);
        setDaemon(daemon);
        setContextClassLoader(LibraryThread.class.getClassLoader());
    }

    /** The worker that the current thread is, or acts as; null if there is none. */
    static @Nullable Worker worker() {
        return Thread.currentThread() instanceof LibraryThread thread ? thread.worker : null;
    }

    /** From now on this thread, which is the current one, is that worker; with null it is none. */
    final void actAs(@Nullable Worker worker) {
        this.worker = worker;
    }

    /** Runs something between two nodes as a thread would that is no worker: nothing it hands in is a spawn. */
    static void asOutsider(Runnable action) {
        if (Thread.currentThread() instanceof LibraryThread thread) {
            final Worker worker = thread.worker;
            thread.worker = null;
            try {
                action.run();
            } finally {
                thread.worker = worker;
            }
        } else {
            action.run();
        }
    }

    /** The suspension that the current thread is about to resume, if it is in {@link Suspension#resumeBy}. */
    static @Nullable Suspension carried() {
        if (Thread.currentThread() instanceof LibraryThread thread) {
            return thread.carried;
        }
        final Object[] carried = othersCarry ? CARRIED_BY_OTHERS.get() : null;
        return carried == null ? null : (Suspension) carried[0];
    }

    static void carry(@Nullable Suspension suspension) {
        if (Thread.currentThread() instanceof LibraryThread thread) {
            thread.carried = suspension;
        } else {
            carryByOther(suspension);
        }
    }

    private static void carryByOther(@Nullable Suspension suspension) {
        Object[] carried = CARRIED_BY_OTHERS.get();
        if (carried == null) {
            othersCarry = true;
            carried = new Object[1];
            CARRIED_BY_OTHERS.set(carried);
        }
        carried[0] = suspension;
    }
}
