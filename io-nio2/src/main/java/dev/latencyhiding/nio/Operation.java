package dev.latencyhiding.nio;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.CompletionHandler;
import org.jspecify.annotations.Nullable;

/**
 * An operation of a channel that has started, and its completion handler. It ends once. Whoever waits for it can
 * give up, and another can wait in its place: the outcome stays here until it is asked for.
 *
 * <pre>
 * state      tryWait    stopWaiting   completed, failed          abandon
 * --------   --------   -----------   ------------------------   ----------------
 * PENDING    WAITING    no effect     DONE                       ABANDONED
 * WAITING    –          PENDING       DONE, and runs the waiter  ABANDONED
 * DONE       refused    no effect     –                          drops the result
 * ABANDONED  –          no effect     drops the result           no effect
 * </pre>
 */
class Operation<T extends @Nullable Object> implements CompletionHandler<T, @Nullable Void> {
    private static final VarHandle STATE = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "state", VarHandle.class, Operation.class, Object.class);

    private static final Object DONE = new Object();
    private static final Object ABANDONED = new Object();

    /** Null while pending, the waiter while somebody waits, or DONE, or ABANDONED. */
    private volatile @Nullable Object state;

    /** Written before DONE. */
    private @Nullable T value;

    private @Nullable Throwable failure;

    @Override
    public void completed(T result, @Nullable Void attachment) {
        value = result;
        end();
    }

    @Override
    public void failed(Throwable error, @Nullable Void attachment) {
        failure = error;
        end();
    }

    private void end() {
        final Poller poller = Poller.beginHandler();
        try {
            publish();
        } finally {
            if (poller != null) {
                poller.endHandler();
            }
        }
    }

    private void publish() {
        for (; ; ) {
            final Object seen = state;
            if (seen == ABANDONED) {
                dropValue();
                return;
            }
            // CAS: publishes the outcome; decides between the end and somebody who starts or stops to wait
            if (STATE.compareAndSet(this, seen, DONE)) {
                if (seen != null) {
                    ((Runnable) seen).run();
                }
                return;
            }
        }
    }

    /** Nobody waits yet. Returns false if the operation is done; else {@code waiter} is run when it is. */
    final boolean tryWait(Runnable waiter) {
        return STATE.compareAndSet(this, null, waiter);
    }

    final void stopWaiting(Runnable waiter) {
        STATE.compareAndSet(this, waiter, null);
    }

    /** Nobody will ask for the outcome any more. */
    final void abandon() {
        for (; ; ) {
            final Object seen = state;
            if (seen == DONE) {
                dropValue();
                return;
            }
            if (STATE.compareAndSet(this, seen, ABANDONED)) {
                return;
            }
        }
    }

    private void dropValue() {
        final T unclaimed = value;
        value = null;
        if (unclaimed != null) {
            drop(unclaimed);
        }
    }

    /** A result that nobody will receive. */
    void drop(T unclaimed) {}

    final boolean isDone() {
        return state == DONE;
    }

    /** When done. */
    final @Nullable Throwable failure() {
        return failure;
    }

    /** When done without a failure. */
    final @Nullable T value() {
        return value;
    }
}
