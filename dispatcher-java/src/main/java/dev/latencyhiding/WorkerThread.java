package dev.latencyhiding;

import org.jspecify.annotations.Nullable;

/**
 * The thread that a {@link Worker} runs on. A class of its own, so that the worker of the current
 * thread is found by a cast instead of a thread local.
 */
final class WorkerThread extends Thread {
    final Worker worker;

    WorkerThread(Worker worker, String name, boolean daemon, @Nullable UncaughtExceptionHandler handler) {
        // No inherited thread locals: they would keep whatever the creating thread had alive.
        super(null, null, name, 0, false);
        this.worker = worker;
        setDaemon(daemon);
        setContextClassLoader(WorkerThread.class.getClassLoader());
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
