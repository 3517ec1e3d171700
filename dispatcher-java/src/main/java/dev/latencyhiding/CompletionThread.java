package dev.latencyhiding;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A thread that completes what others wait for, as one that waits for sockets does. While workers of a scheduler
 * have nothing to do, it runs the nodes that it resumes by {@link Suspension#resumeBy} itself, as a <em>guest</em>
 * of the scheduler, instead of waking a worker up: that would cost more than most of these nodes. While all workers
 * are busy, and under another policy than {@link Policy#PROWS_R}, it only hands them over.
 *
 * <pre>{@code
 * new CompletionThread("sockets", () -> {
 *     while (true) poll().forEach(ready -> ready.suspension().resumeBy(ready::complete));
 * }).start();
 * }</pre>
 *
 * <p>A node that runs here runs on the scheduler in all respects but the thread's name: what it spawns goes to its
 * deque, suspensions that it opens are bound to it, and workers steal from it. It may keep the thread for long, or
 * block it. So there should be another thread that can do this one's work meanwhile.
 *
 * <p>It is a daemon.
 */
public class CompletionThread extends LibraryThread {
    private final Runnable task;

    /**
     * A guest that has been admitted to run the node of {@link #resumed}, as soon as the completion returns. Used by
     * this thread only, as the other.
     */
    private @Nullable ProwsWorker admitted;

    private @Nullable Suspension resumed;

    /**
     * Makes a thread; it is not started.
     *
     * @param name of the thread
     * @param task what it does
     */
    public CompletionThread(String name, Runnable task) {
        super(Objects.requireNonNull(name, "name"), true);
        this.task = Objects.requireNonNull(task, "task");
    }

    /** Runs the task. */
    @Override
    public void run() {
        task.run();
    }

    /** Whether the current thread is such a one, about to resume this suspension, and runs no node. */
    static boolean canRun(Suspension suspension) {
        return Thread.currentThread() instanceof CompletionThread thread
                && worker() == null
                && thread.admitted == null
                && carried() == suspension;
    }

    /** The current thread will run the node of this suspension: {@link #canRun} said so. */
    static void admit(ProwsWorker guest, Suspension suspension) {
        if (Thread.currentThread() instanceof CompletionThread thread) {
            thread.admitted = guest;
            thread.resumed = suspension;
        }
    }

    /** The completion has returned: if it has resumed a node that is to run here, now is the time. */
    static void runAdmitted() {
        if (Thread.currentThread() instanceof CompletionThread thread && thread.admitted != null && carried() == null) {
            thread.runGuest(thread.admitted);
        }
    }

    private void runGuest(ProwsWorker worker) {
        final Suspension suspension = Objects.requireNonNull(resumed);
        admitted = null;
        resumed = null;
        actAs(worker);
        try {
            worker.runAsGuest(suspension);
        } finally {
            actAs(null);
            worker.core.guests.leave(worker);
        }
    }
}
