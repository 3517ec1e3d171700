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
 * state          its node returns, and its     resume          release     a worker takes the node
 *                deque is empty / has nodes
 * ------------   ---------------------------   -------------   ---------   -----------------------
 * OPEN           ALONE / BOUND                 EARLY           RELEASED    –
 * ALONE          –                             RESUMED         RELEASED    –
 * BOUND          –                             BOUND_RESUMED   RELEASED    –
 * EARLY          no effect                     no effect       no effect   TAKEN
 * RESUMED        –                             no effect       no effect   TAKEN
 * BOUND_RESUMED  –                             no effect       no effect   TAKEN
 * TAKEN          no effect                     no effect       no effect   gets none
 * RELEASED       no effect                     no effect       no effect   –
 * </pre>
 */
/*
 * Implementation notes
 *
 * Only a BOUND suspension is counted by its deque, which is suspended until it ends; see ProwsDeque. One that is
 * ALONE stands for an empty suspended deque: nobody could take anything from that, and when the node comes back any
 * empty deque is as good. So a wait touches no deque: it takes two atomic operations, one when the node returns and one
 * when it is resumed, where one that is BOUND takes eight.
 *
 * Under the other policies, which count what an empty deque waits for as well, a suspension is BOUND at once.
 */
public final class Suspension {
    // Those that have not ended first.
    private static final int OPEN = 0;
    private static final int ALONE = 1;
    private static final int BOUND = 2;
    private static final int EARLY = 3;
    private static final int RESUMED = 4;
    private static final int BOUND_RESUMED = 5;
    private static final int TAKEN = 6;
    private static final int RELEASED = 7;

    private static final VarHandle STATE = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "state", VarHandle.class, Suspension.class, int.class);

    private final SchedulerCore core;

    /** The deque the node ran on; null if it was opened off a worker. */
    final @Nullable ProwsDeque deque;

    /**
     * The one that the same node opened before, while that node runs; then the next in the deque's inbox. Null when it
     * was taken out, lest a chain of old ones be kept alive. Plain: written by the worker, or before the CAS that puts
     * it into the inbox.
     */
    @Nullable Suspension next;

    /**
     * The node that came back, until somebody takes it. Plain access, ordered by what is written below: a VarHandle
     * would check that its class implements Runnable, which is slow on several workers (see {@link WorkDeque}).
     */
    private @Nullable Runnable node;

    private volatile int state;

    /** Detached, if there is no deque. */
    Suspension(SchedulerCore core, @Nullable ProwsDeque deque) {
        this.core = core;
        this.deque = deque;
    }

    /** Of a deque that counts it from the beginning. */
    static Suspension bound(SchedulerCore core, ProwsDeque deque) {
        final Suspension suspension = new Suspension(core, deque);
        STATE.setOpaque(suspension, BOUND); // nobody else has it yet
        return suspension;
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
        return isOpen() && core.resume(this, continuation);
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
        for (int seen; (seen = state) <= BOUND; ) {
            if (STATE.compareAndSet(this, seen, RELEASED)) {
                core.release(this, seen == BOUND, seen == ALONE);
                return true;
            }
        }
        return false;
    }

    /**
     * Whether neither {@link #resume} nor {@link #release} has ended it yet.
     *
     * @return true while it is open
     */
    public boolean isOpen() {
        return state <= BOUND;
    }

    /**
     * The worker whose node has returned: from now on the suspension stands for an empty deque, or its deque, which
     * has counted it, waits for it. False if it has ended.
     */
    boolean tryLeave(boolean bound) {
        // CAS: decides between the worker and whoever ends it, which must know whether a deque has counted it
        return state == OPEN && STATE.compareAndSet(this, OPEN, bound ? BOUND : ALONE);
    }

    /** Decides between all callers of resume and release. */
    boolean tryResume(Runnable continuation) {
        for (int seen; (seen = state) <= BOUND; ) {
            // CAS: as in tryLeave
            if (STATE.compareAndSet(this, seen, seen + EARLY)) {
                node = continuation; // published by the CAS that puts this suspension into the inbox, or into the lane
                return true;
            }
        }
        return false;
    }

    /** To be asked by whoever has resumed it, or found it in the lane of wake-ups: whether its node still ran then. */
    boolean cameEarly() {
        return state == EARLY;
    }

    /** As {@link #cameEarly}: whether it stood for an empty deque. */
    boolean cameAlone() {
        return state == RESUMED;
    }

    /** As {@link #cameEarly}: whether its deque waited for it, so that it is in the inbox of that deque as well. */
    boolean cameToDeque() {
        return state == BOUND_RESUMED;
    }

    /**
     * Any thread that found this suspension in the inbox or in the lane of wake-ups: one of them gets the
     * node, the others null.
     */
    @Nullable Runnable takeNode() {
        final int seen = state;
        if (!hasNode(seen)) {
            return null;
        }
        if (seen != BOUND_RESUMED) {
            STATE.setOpaque(this, TAKEN); // it is in the lane only, so that nobody else has it
        } else if (!STATE.compareAndSet(this, seen, TAKEN)) {
            return null; // CAS: decides between the inbox and the lane; who finds this in one of them sees the node
        }
        final Runnable taken = node;
        node = null; // whoever holds this suspension keeps no node alive
        return taken;
    }

    /** To be asked by such threads only. */
    boolean hasNode() {
        return hasNode(state);
    }

    private static boolean hasNode(int state) {
        return state >= EARLY && state < TAKEN;
    }

    /** Whether it ended by a node that came back. */
    boolean isResumed() {
        final int seen = state;
        return seen >= EARLY && seen <= TAKEN;
    }

    @Override
    public String toString() {
        return "Suspension[" + (state == OPEN ? "open" : isOpen() ? "waiting" : isResumed() ? "resumed" : "released")
                + (deque == null ? ", detached" : "") + ", scheduler=" + core.name() + "]";
    }
}
