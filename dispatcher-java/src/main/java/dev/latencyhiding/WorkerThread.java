package dev.latencyhiding;

import org.jspecify.annotations.Nullable;

/**
 * The thread that a {@link Worker} runs on. A class of its own, so that the worker of the current
 * thread is found by a cast instead of a thread local.
 */
final class WorkerThread extends LibraryThread {
    final Worker worker;

    WorkerThread(Worker worker, String name, boolean daemon, @Nullable UncaughtExceptionHandler handler) {
        super(name, daemon);
        this.worker = worker;
        if (handler != null) {
            setUncaughtExceptionHandler(handler);
        }
    }

    @Override
    public void run() {
        boolean finished = false;
        try {
            worker.run();
            finished = true;
        } finally {
            worker.core.threadEnds(worker, finished);
        }
    }
}
