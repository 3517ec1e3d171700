package dev.latencyhiding;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * The right side of {@link LatencyHidingScheduler#invoke}, in the deque of the worker that runs the left
 * side. When that is done the worker joins the fork:
 *
 * <pre>
 * the fork is                             the worker
 * -------------------------------------   -----------------------------------------------------------
 * at the bottom of its deque              pops it and runs it: the common case
 * in its deque, under nodes that the      claims it where it is and runs it; what stays in the deque
 *   left side handed in                     does nothing
 * stolen                                  helps its thief ({@link Theft}), or waits
 * </pre>
 *
 * <p>The worker never runs another node meanwhile: that node may need a lock which the caller of invoke
 * holds, or see what the caller has put into thread locals.
 */
/*
 * Implementation notes
 *
 * Invariants
 *   F1  A fork that nobody has claimed is in the active deque of the worker on whose stack its invoke is.
 *       That deque stays the worker's active one until the node returns, hence as long as invoke runs.
 *   F2  Whoever runs the body has taken the fork off the bottom of that deque, while nobody has claimed it,
 *       or has claimed it by the CAS of `theft`. A thief that took it off the top must claim it as well.
 *   F3  No body runs when invoke has ended, also if the stack overflows in the midst of a join: then the fork is
 *       cancelled first, and whoever has claimed it before is waited for without a call. Both fields are
 *       volatile: a thief claims, then reads `cancelled`.
 */
final class Fork implements Runnable {
    private static final VarHandle THEFT = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "theft", VarHandle.class, Fork.class, Theft.class);

    private final Runnable body;

    /** Null until somebody claims it. */
    private volatile @Nullable Theft theft;

    /** Not to be run any more, if it has not begun. */
    private volatile boolean cancelled;

    private Fork(Runnable body) {
        this.body = body;
    }

    /** Loads what a join needs: a class whose initialiser meets the end of the stack is lost for ever. */
    static boolean load() {
        return Theft.BY_OWNER.done;
    }

    /** Runs both, on the current worker and whoever steals from it. Returns when both are done. */
    static void invoke(Worker worker, Runnable left, Runnable right) {
        final Fork fork = new Fork(right);
        final boolean popped;
        try {
            worker.fork(fork);
            left.run();
            popped = worker.tryUnfork(fork);
        } catch (Throwable error) {
            // Without a call: after a stack overflow there may be no room for one, and the fork must not run.
            if (error instanceof VirtualMachineError || error instanceof CancellationException) {
                fork.cancelled = true;
            }
            try {
                fork.joinAfter(worker, error);
            } catch (StackOverflowError noRoom) {
                // the first error is the one to throw
            }
            fork.cancelled = true;
            for (Theft theft; (theft = fork.theft) != null && !theft.done; ) {} // F3
            throw error;
        }
        if (popped) {
            right.run();
            return;
        }
        try {
            fork.join(worker);
        } catch (StackOverflowError noRoom) {
            fork.cancelled = true;
            for (Theft theft; (theft = fork.theft) != null && !theft.done; ) {} // F3
            throw noRoom;
        }
    }

    private void joinAfter(Worker worker, Throwable error) {
        try {
            if (worker.tryUnfork(this)) {
                runBody();
            } else {
                join(cancelled ? null : worker);
            }
        } catch (Throwable another) {
            if (another != error) {
                error.addSuppressed(another);
            }
        }
    }

    /** The fork is not at the bottom of the worker's deque. The worker helps its thief, unless it is null. */
    private void join(@Nullable Worker worker) {
        if (tryClaim(Theft.BY_OWNER)) {
            runBody();
        } else {
            final Theft theft = this.theft;
            if (theft != null) {
                theft.join(worker);
            }
        }
    }

    /** On a thief, or on a worker that helps one. */
    @Override
    public void run() {
        final Theft theft = new Theft(Worker.current());
        if (tryClaim(theft)) {
            theft.run(this);
        }
    }

    void runBody() {
        if (!cancelled) {
            body.run();
        }
    }

    /** CAS: decides between a thief and the worker that joins, if the fork is not at the bottom (F2). */
    private boolean tryClaim(Theft claim) {
        return theft == null && THEFT.compareAndSet(this, null, claim);
    }
}
