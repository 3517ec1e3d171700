package dev.latencyhiding;

import org.jspecify.annotations.Nullable;

/**
 * The thread that a {@link Worker} runs on. A class of its own, so that the worker of the current
 * thread is found by a cast instead of a thread local.
 */
final class WorkerThread extends LibraryThread {
    private final Worker own;

    /** Null while the thread acts as one that is no worker. Used by the thread itself only. */
    private @Nullable Worker worker;

    WorkerThread(Worker worker, String name, boolean daemon, @Nullable UncaughtExceptionHandler handler) {
        super(name, daemon);
        this.own = worker;
        this.worker = worker;
        if (handler != null) {
            setUncaughtExceptionHandler(handler);
        }
    }

    /** The worker that the current thread is; null if it is none. */
    static @Nullable Worker currentWorker() {
        return Thread.currentThread() instanceof WorkerThread thread ? thread.worker : null;
    }

    /** Runs something between two nodes as a thread would that is no worker: nothing it hands in is a spawn. */
    static void asOutsider(Runnable action) {
        final WorkerThread thread = Thread.currentThread() instanceof WorkerThread current ? current : null;
        if (thread != null) {
            thread.worker = null;
        }
        try {
            action.run();
        } finally {
            if (thread != null) {
                thread.worker = thread.own;
            }
        }
    }

    @Override
    public void run() {
        boolean finished = false;
        try {
            own.run();
            finished = true;
        } finally {
            own.core.threadEnds(own, finished);
        }
    }
}
