package dev.latencyhiding;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * The owner suspends a deque and then looks whether it is empty (Thief.offer), while a thief takes its
 * last node and then looks at its state (Thief.settle). One of them must see the other, else an empty
 * deque stays listed in a stealable set, where thieves look at it in vain. To see {@code Actual} fail,
 * make ProwsDeque.casControl a compare with a plain read and {@code CONTROL.setOpaque}.
 */
public final class SettleOrSuspendJcstress {
    static final Runnable NODE = () -> {};

    /** Shared by all states: taking from an empty pool changes nothing in it. */
    static final DequePool EMPTY_POOL = new DequePool();

    private SettleOrSuspendJcstress() {}

    /** The deque of the scheduler. */
    @JCStressTest
    @Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "the owner sees to it")
    @Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "the thief sees to it")
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "either; a CAS decides")
    @Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "an empty deque stays listed")
    @State
    public static class Actual {
        private final ProwsDeque deque = new ProwsDeque();

        public Actual() {
            deque.pushBottom(NODE, EMPTY_POOL);
            deque.openSuspension();
        }

        @Actor
        public void owner(ZZ_Result r) {
            deque.trySuspend();
            r.r1 = deque.isEmpty();
        }

        @Actor
        public void thief(ZZ_Result r) {
            deque.popTop();
            r.r2 = deque.state() == DequeState.SUSPENDED;
        }
    }

    /** The same with a store instead of a CAS, and no fence between it and the look at the array. */
    @JCStressTest
    @Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "the owner sees to it")
    @Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "the thief sees to it")
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "either; a CAS decides")
    @Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "an empty deque stays listed")
    @State
    public static class Broken {
        private final AtomicBoolean suspended = new AtomicBoolean();
        private final AtomicLong top = new AtomicLong();

        @Actor
        public void owner(ZZ_Result r) {
            suspended.setRelease(true); // the fence is missing after this line
            r.r1 = top.get() == 1;
        }

        @Actor
        public void thief(ZZ_Result r) {
            top.compareAndSet(0, 1);
            r.r2 = suspended.get();
        }
    }
}
