package dev.latencyhiding;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A deque of {@link Lhws}. Unlike those of ProWS-R it belongs to one worker from the time it is made
 * to the time it is freed, whatever its state: that worker alone touches its bottom, and thieves pop
 * its top. It passes to another worker only if its owner retires.
 *
 * <pre>
 * in the paper   state       held by
 * ------------   ---------   -------------------------------------------------------------
 * active         ACTIVE      its owner, as the one it works on
 * ready          RESUMABLE   its owner's readyDeques, or resumedDeques until the owner looks
 * suspended      SUSPENDED   the suspensions alone: it is empty
 * free           ACTIVE      its owner's pool, or nobody
 * </pre>
 *
 * {@code resumedVertices} is the inbox of {@link ProwsDeque}, {@code suspendCtr} its count of open
 * suspensions.
 */
final class LhwsDeque extends ProwsDeque {
    private static final VarHandle OWNER = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "owner", VarHandle.class, LhwsDeque.class, LhwsWorker.class);

    private volatile LhwsWorker owner;

    /** In the owner's readyDeques. Owner only. */
    boolean ready;

    /** A resumer that was slow may still tell of it. Owner only. */
    boolean freed;

    LhwsDeque(LhwsWorker owner) {
        this.owner = owner;
    }

    LhwsWorker owner() {
        return owner;
    }

    /** Of those who want the deque of a worker that retired, one gets it. */
    boolean tryAdopt(LhwsWorker retired, LhwsWorker heir) {
        return OWNER.compareAndSet(this, retired, heir);
    }

    @Override
    public String toString() {
        return super.toString() + (ready ? " ready" : "") + (freed ? " freed" : "") + " of worker " + owner.id;
    }
}
