package dev.latencyhiding;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

/**
 * Who is about to hand in work from outside. Termination closes the door and then waits for those who
 * had stepped in before: so work is either refused or found, never put into a queue nobody reads.
 *
 * <pre>
 * entering                        closing (LifeCycle)
 * ----------------------------    ------------------------------
 * begun + 1                       state = TERMINATING
 * full fence                      full fence
 * read the state: refuse or go    wait until ended == begun
 * publish the node                look for work once more
 * ended + 1
 * </pre>
 *
 * Two counters that only grow, because the sum over the stripes of one that goes up and down can read
 * zero while somebody is inside.
 */
final class Admission {
    private final LongAdder begun = new LongAdder();
    private final LongAdder ended = new LongAdder();

    /** Steps in. The caller then reads the state, and calls {@link #exit} in any case. */
    void enter() {
        begun.increment();
        // full fence: be counted before reading the state; pairs with the fence in awaitEmpty
        VarHandle.fullFence();
    }

    void exit() {
        ended.increment();
    }

    /**
     * Lets whoever closes the door get on with it, and steps in again when that is over. Not before:
     * callers that kept stepping in and out could make awaitEmpty wait for ever.
     */
    void stepAsideWhile(BooleanSupplier closing) {
        exit();
        while (closing.getAsBoolean()) {
            pause();
        }
        enter();
    }

    /** Waits for those who entered before the caller changed the state. They only publish a node. */
    void awaitEmpty() {
        // full fence: change the state before reading the counters; pairs with the fence in enter
        VarHandle.fullFence();
        while (!isEmpty()) {
            pause();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // the other thread may wait for this core; rare and short
    private static void pause() {
        Thread.yield();
    }

    private boolean isEmpty() {
        final long ended = this.ended.sum(); // first, so that equality means nobody was inside
        return ended == begun.sum();
    }
}
