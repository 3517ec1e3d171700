package dev.latencyhiding;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZL_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * A node returns, and its worker leaves the suspension to the deque, while the operation completes. Both must know
 * whether the deque counts the suspension: else it waits for ever, or the count goes below zero. To see {@code Actual}
 * fail, let Suspension.tryLeave write the state without a CAS, or ProwsWorker.leaveTo count after it.
 */
public final class LeaveOrResumeJcstress {
    static final Runnable NODE = () -> {};

    private LeaveOrResumeJcstress() {}

    /** As ProwsWorker.leaveTo and ProwsR.comeBack do it. */
    @JCStressTest
    @Outcome(id = "true, true, RESUMABLE 0", expect = Expect.ACCEPTABLE, desc = "suspended, then resumed")
    @Outcome(id = "false, false, ACTIVE 0", expect = Expect.ACCEPTABLE, desc = "completed early")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the two sides disagree")
    @State
    public static class Actual {
        private final ProwsDeque deque = new ProwsDeque();
        private final Suspension suspension = new Suspension(null, deque);

        @Actor
        public void owner(ZZL_Result r) {
            r.r1 = ProwsWorker.leaveTo(deque, suspension) && deque.trySuspend();
        }

        @Actor
        public void resumer(ZZL_Result r) {
            suspension.tryResume(NODE);
            r.r2 = suspension.cameToDeque() && deque.deliver(suspension);
        }

        @Arbiter
        public void afterwards(ZZL_Result r) {
            r.r3 = suspension.takeNode() == NODE ? deque.state() + " " + deque.openSuspensions() : "LOST";
        }
    }

    /** The same with a look and a store instead of a CAS. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "left, then resumed")
    @Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "completed early")
    @Outcome(id = "true, false", expect = Expect.FORBIDDEN, desc = "counted, and nobody takes it off the count")
    @State
    public static class Broken {
        private volatile boolean left;
        private volatile boolean resumed;

        @Actor
        public void owner(ZZ_Result r) {
            if (!resumed) { // the operation may complete after this line
                left = true;
                r.r1 = true;
            }
        }

        @Actor
        public void resumer(ZZ_Result r) {
            r.r2 = left; // and the worker may leave it after this one
            resumed = true;
        }
    }
}
