package dev.latencyhiding;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The handle that a latency-incurring operation holds on the place it was started from. Opened by the
 * running node before the operation starts; resumed with the node that goes on, from any thread, when
 * the operation completes:
 *
 * <pre>{@code
 * Suspension suspension = Suspension.open();
 * channel.read(buffer, suspension, new CompletionHandler<Integer, Suspension>() {
 *     public void completed(Integer count, Suspension s) { s.resume(() -> parse(buffer)); }
 *     public void failed(Throwable error, Suspension s) { s.resume(() -> fail(error)); }
 * });
 * // return: the worker gives its deque away and looks for other work
 * }</pre>
 *
 * <p>When the node returns and the operation is not complete, its worker suspends its whole deque and
 * becomes a thief, or does what another {@link Policy} says. {@link #resume} puts the given node at the bottom of that deque again and makes it
 * available, ahead of computing work. A node may open any number of suspensions, and each of them
 * brings back a node of its own.
 *
 * <p>Every suspension should end, by {@link #resume} or by {@link #release}: the other nodes in a
 * suspended deque can be stolen one by one, but not taken over whole, and {@link
 * LatencyHidingScheduler#close()} waits for the open ones. All methods may be called from any thread.
 *
 * <pre>
 * state      resume      release     a worker takes the node
 * --------   ---------   ---------   -----------------------
 * OPEN       RESUMED     RELEASED    –
 * RESUMED    no effect   no effect   TAKEN
 * TAKEN      no effect   no effect   gets none
 * RELEASED   no effect   no effect   –
 * </pre>
 */
public final class Suspension {
    private static final int OPEN = 0;
    private static final int RESUMED = 1;
    private static final int TAKEN = 2;
    private static final int RELEASED = 3;

    private static final VarHandle STATE = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "state", VarHandle.class, Suspension.class, int.class);

    private final SchedulerCore core;

    /** The deque the node ran on; null if it was opened off a worker. */
    final @Nullable ProwsDeque deque;

    /** The next in the deque's inbox; null when it was taken out, lest a chain of old ones be kept alive. */
    volatile @Nullable Suspension next;

    /**
     * The node that came back, until somebody takes it. Plain access, ordered by what is written below: a VarHandle
     * would check that its class implements Runnable, which is slow on several workers (see {@link WorkDeque}).
     */
    private @Nullable Runnable node;

    private volatile int state;

    Suspension(SchedulerCore core, @Nullable ProwsDeque deque) {
        this.core = core;
        this.deque = deque;
    }

    /**
     * Opens a suspension for the node that is running. On a worker it is bound to the worker's deque
     * and scheduler. On any other thread it is detached: {@link #resume} starts its node on the
     * {@linkplain LatencyHidingScheduler#shared() shared} scheduler, as {@code execute} would, and {@link
     * #resumeBy} as {@code executeResumed} would.
     *
     * @return a new, open suspension
     */
    public static Suspension open() {
        final Worker worker = Worker.current();
        return worker != null
                ? worker.openSuspension()
                : LatencyHidingScheduler.shared().core().openDetached();
    }

    /**
     * Opens a suspension for the node that is running, if the calling thread is a worker of any scheduler.
     * For operations that need no other care when they are not called on a worker.
     *
     * @return a new, open suspension; null off a worker
     */
    public static @Nullable Suspension openOnWorker() {
        final Worker worker = Worker.current();
        return worker == null ? null : worker.openSuspension();
    }

    /**
     * Opens a suspension on the given scheduler: bound to the running node if the calling thread is
     * one of its workers, detached otherwise.
     *
     * @param scheduler where the node will be resumed
     * @return a new, open suspension
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is not one of
     *     its workers
     */
    public static Suspension open(LatencyHidingScheduler scheduler) {
        final SchedulerCore core =
                Objects.requireNonNull(scheduler, "scheduler").core();
        final Worker worker = Worker.current(core);
        return worker != null ? worker.openSuspension() : core.openDetached();
    }

    /**
     * Ends the suspension with the node that goes on from here. The first call has an effect, and no
     * call has one after {@link #release}.
     *
     * @param continuation what to run, on a worker, exactly once
     * @return true if this call ended the suspension; false if it had ended, and then {@code
     *     continuation} is not run
     * @throws RejectedExecutionException if the scheduler has terminated, which it does with open
     *     suspensions only after {@link LatencyHidingScheduler#shutdownNow()}; the suspension stays as
     *     it was
     */
    public boolean resume(Runnable continuation) {
        Objects.requireNonNull(continuation, "continuation");
        return state == OPEN && core.resume(this, continuation);
    }

    /**
     * Ends the suspension by completing something that others wait for. Runs {@code completion} on the
     * calling thread; the first node which it hands to the scheduler, directly or through whatever
     * callbacks it triggers, takes the place of the suspended one. If it hands in none, the suspension
     * is {@linkplain #release() released}: a deque must not wait for a node that went elsewhere.
     *
     * <p>On a {@link CompletionThread} the node may run before this returns.
     *
     * <pre>{@code
     * future.whenComplete((value, error) -> suspension.resumeBy(() -> listener.accept(value)));
     * }</pre>
     *
     * @param completion what completes the operation; its exceptions are passed on
     * @return true if the suspension ended by a node that came back
     */
    public boolean resumeBy(Runnable completion) {
        Objects.requireNonNull(completion, "completion");
        try {
            carryDuring(() -> {
                completion.run();
                return true;
            });
        } finally {
            CompletionThread.runAdmitted();
        }
        return isResumed();
    }

    /** As {@link #resumeBy}; returns what the completion returns. */
    boolean carryDuring(BooleanSupplier completion) {
        final Suspension outer = LibraryThread.carried();
        LibraryThread.carry(this);
        try {
            return completion.getAsBoolean();
        } finally {
            LibraryThread.carry(outer);
            release();
        }
    }

    /** Called for each node that is handed in while this suspension is carried. */
    boolean resumeCarried(SchedulerCore target, Runnable continuation) {
        return core == target && resume(continuation);
    }

    /**
     * Withdraws the suspension: nothing will be resumed by it, because the operation was cancelled or
     * its result is delivered in another way. The deque is free for others again.
     *
     * @return true if this call ended the suspension; false if it had ended
     */
    public boolean release() {
        // The look first: after each resumeBy this finds it resumed, and a worker is about to write to it.
        if (state != OPEN || !STATE.compareAndSet(this, OPEN, RELEASED)) {
            return false;
        }
        core.release(this);
        return true;
    }

    /**
     * Whether neither {@link #resume} nor {@link #release} has ended it yet.
     *
     * @return true while it is open
     */
    public boolean isOpen() {
        return state == OPEN;
    }

    /** Decides between all callers of resume and release. */
    boolean tryResume(Runnable continuation) {
        if (!STATE.compareAndSet(this, OPEN, RESUMED)) {
            return false;
        }
        node = continuation; // published by the CAS that puts this suspension into the inbox, or into the lane
        return true;
    }

    /**
     * Any thread that found this suspension in the inbox or in the lane of wake-ups: one of them gets the
     * node, the others null.
     */
    @Nullable Runnable takeNode() {
        // CAS: decides between the inbox and the lane; who finds this in one of them sees the node
        if (!hasNode() || !STATE.compareAndSet(this, RESUMED, TAKEN)) {
            return null;
        }
        final Runnable taken = node;
        node = null; // whoever holds this suspension keeps no node alive
        return taken;
    }

    /** To be asked by such threads only. */
    boolean hasNode() {
        return state == RESUMED;
    }

    private boolean isResumed() {
        final int seen = state;
        return seen == RESUMED || seen == TAKEN;
    }

    @Override
    public String toString() {
        return "Suspension[" + (isOpen() ? "open" : isResumed() ? "resumed" : "released")
                + (deque == null ? ", detached" : "") + ", scheduler=" + core.name() + "]";
    }
}
