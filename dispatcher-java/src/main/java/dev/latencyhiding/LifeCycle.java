package dev.latencyhiding;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;

/**
 * From running to terminated.
 *
 * <pre>
 * state         new work     spawned     resumed     left when
 *               from outside by a worker
 * -----------   ----------   ---------   ---------   -----------------------------------------------
 * RUNNING       accepted     accepted    accepted    shutdown, shutdownNow
 * SHUTDOWN      refused      accepted    accepted    all workers sleep, nothing is queued, and no
 *                                                    suspension is open, or shutdownNow was called
 * TERMINATING   waits        -           waits       at once: to TERMINATED, or back to SHUTDOWN if
 *                                                    somebody had stepped in before (Admission)
 * TERMINATED    refused      -           refused     never
 * </pre>
 *
 * After shutdownNow, work that a worker spawns is refused, too.
 *
 * <p>TERMINATING is the closed door: it makes "nothing is queued" stay true while it is looked at.
 */
final class LifeCycle {
    private static final int RUNNING = 0;
    private static final int SHUTDOWN = 1;
    private static final int TERMINATING = 2;
    private static final int TERMINATED = 3;

    private static final VarHandle STATE = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "state", VarHandle.class, LifeCycle.class, int.class);

    private final String name;
    private final BooleanSupplier quiescent;
    private final Runnable onTerminated;
    private final Admission admission = new Admission();
    private volatile int state;

    /**
     * @param quiescent whether every worker sleeps and no work is left, now or to come
     * @param onTerminated called once, by the thread that terminates
     */
    LifeCycle(String name, BooleanSupplier quiescent, Runnable onTerminated) {
        this.name = name;
        this.quiescent = quiescent;
        this.onTerminated = onTerminated;
    }

    /** Admits new work from outside; the caller publishes it, then calls {@link #exit}. */
    void enterWithNewWork() {
        enter(SHUTDOWN);
    }

    /** Admits a node that comes back; the caller publishes it, then calls {@link #exit}. */
    void enterWithResumed() {
        enter(TERMINATED);
    }

    private void enter(int refusedFrom) {
        admission.enter();
        while (state == TERMINATING) {
            admission.stepAsideWhile(() -> state == TERMINATING);
        }
        if (state >= refusedFrom) {
            admission.exit();
            throw rejection();
        }
    }

    RejectedExecutionException rejection() {
        return new RejectedExecutionException("scheduler \"" + name + "\" "
                + (isTerminated() ? "has terminated" : "was shut down") + " and accepts no new work");
    }

    void exit() {
        admission.exit();
    }

    void shutdown() {
        STATE.compareAndSet(this, RUNNING, SHUTDOWN);
        tryTerminate();
    }

    /** Called by whoever may have been the last that held up termination. */
    void tryTerminate() {
        // In a loop: while the door was closed, the last worker may have gone to sleep and have found
        // this thread at it already.
        while (state == SHUTDOWN && quiescent.getAsBoolean()) {
            if (!STATE.compareAndSet(this, SHUTDOWN, TERMINATING)) {
                return;
            }
            admission.awaitEmpty();
            if (quiescent.getAsBoolean()) {
                state = TERMINATED;
                onTerminated.run();
                return;
            }
            state = SHUTDOWN;
        }
    }

    boolean isShutdown() {
        return state >= SHUTDOWN;
    }

    boolean isTerminated() {
        return state == TERMINATED;
    }

    @Override
    public String toString() {
        return switch (state) {
            case RUNNING -> "running";
            case SHUTDOWN -> "shut down";
            case TERMINATING -> "terminating";
            default -> "terminated";
        };
    }
}
