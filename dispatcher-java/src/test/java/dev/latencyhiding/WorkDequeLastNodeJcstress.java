package dev.latencyhiding;

import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Two nodes; the owner pops one at the bottom while a thief pops two at the top. With two left the
 * owner takes the younger without a CAS, so the full fence in WorkDeque.takeBottom is all that keeps
 * the thief from taking it as well. To see {@code Actual} fail, remove {@code VarHandle.fullFence()}
 * from takeBottom. The fence in popTop orders two loads, which x86 does anyhow.
 */
public final class WorkDequeLastNodeJcstress {
    static final Runnable OLDER = () -> {};
    static final Runnable YOUNGER = () -> {};

    private WorkDequeLastNodeJcstress() {}

    static int number(Runnable node) {
        return node == null ? 0 : node == OLDER ? 1 : 2;
    }

    /** The deque of the scheduler. */
    @JCStressTest
    @Outcome(id = "2, 1, 0", expect = Expect.ACCEPTABLE, desc = "the owner has the last node")
    @Outcome(id = "0, 1, 2", expect = Expect.ACCEPTABLE, desc = "the thief has both nodes")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a node was taken twice or lost")
    @State
    public static class Actual {
        private final WorkDeque deque = new WorkDeque(2);

        public Actual() {
            deque.pushBottom(OLDER);
            deque.pushBottom(YOUNGER);
        }

        @Actor
        public void owner(III_Result r) {
            r.r1 = number(deque.popBottom());
        }

        @Actor
        public void thief(III_Result r) {
            r.r2 = number(deque.popTop());
            r.r3 = number(deque.popTop());
        }
    }

    /** The same algorithm, without the fence between the store to bottom and the load of top. */
    @JCStressTest
    @Outcome(id = "2, 1, 0", expect = Expect.ACCEPTABLE, desc = "the owner has the last node")
    @Outcome(id = "0, 1, 2", expect = Expect.ACCEPTABLE, desc = "the thief has both nodes")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a node was taken twice or lost")
    @State
    public static class Broken {
        private final AtomicLong top = new AtomicLong();
        private final AtomicLong bottom = new AtomicLong(2);

        @Actor
        public void owner(III_Result r) {
            final long last = bottom.getPlain() - 1;
            bottom.setOpaque(last); // the fence is missing after this line
            final long first = top.getOpaque();
            if (first < last) {
                r.r1 = (int) last + 1;
            } else if (first == last && top.compareAndSet(first, first + 1)) {
                r.r1 = (int) last + 1;
            }
        }

        @Actor
        public void thief(III_Result r) {
            r.r2 = popTop();
            r.r3 = popTop();
        }

        private int popTop() {
            for (; ; ) {
                final long first = top.get();
                if (first >= bottom.get()) {
                    return 0;
                }
                if (top.compareAndSet(first, first + 1)) {
                    return (int) first + 1;
                }
            }
        }
    }
}
