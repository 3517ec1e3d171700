package dev.latencyhiding;

import org.jspecify.annotations.Nullable;

/** The thread that a {@link Worker} runs on. */
final class WorkerThread extends LibraryThread {
    private final Worker own;

    WorkerThread(Worker worker, String name, boolean daemon, @Nullable UncaughtExceptionHandler handler) {
        super(name, daemon);
        this.own = worker;
        if (handler != null) {
            setUncaughtExceptionHandler(handler);
        }
    }

    @Override
    public void run() {
        boolean finished = false;
        try {
            actAs(own);
            own.run();
            finished = true;
        } finally {
            own.core.threadEnds(own, finished);
        }
    }
}
