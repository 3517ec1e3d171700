package dev.latencyhiding.nio;

import dev.latencyhiding.CompletionThread;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A thread of a channel group. It counts the operations that it has completed, so that others see that it goes on. */
final class Poller extends CompletionThread {
    private static final VarHandle COMPLETED = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "completed", VarHandle.class, Poller.class, long.class);

    /** Written by this thread only. */
    private long completed;

    Poller(String name, Runnable task) {
        super(name, task);
    }

    /** The current thread, whatever it is, completes an operation. */
    static void completes() {
        if (Thread.currentThread() instanceof Poller poller) {
            // opaque: whole longs for readers, no order
            COMPLETED.setOpaque(poller, poller.completed + 1);
        }
    }

    long completed() {
        return (long) COMPLETED.getOpaque(this);
    }
}
