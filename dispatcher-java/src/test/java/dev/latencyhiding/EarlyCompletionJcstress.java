package dev.latencyhiding;

import java.util.concurrent.atomic.AtomicBoolean;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZL_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * The operation completes while its node is about to return blocked. If the deque was suspended, the
 * resumer must know, else the deque and its nodes wait for ever; if not, the node is in the inbox of
 * an active deque. A second suspension stays open: with one alone, the count of 0 would tell the owner
 * anyhow. To see {@code Actual} fail, let ProwsDeque.trySuspend look at the inbox before it reads the
 * word, or deliver call closeSuspension before it pushes to the inbox.
 */
public final class EarlyCompletionJcstress {
    static final Runnable NODE = () -> {};

    private EarlyCompletionJcstress() {}

    /** The deque of the scheduler: state and count are one word. */
    @JCStressTest
    @Outcome(id = "true, true, RESUMABLE", expect = Expect.ACCEPTABLE, desc = "suspended, then resumed")
    @Outcome(id = "false, false, ACTIVE", expect = Expect.ACCEPTABLE, desc = "completed early")
    @Outcome(id = "true, false, .*", expect = Expect.FORBIDDEN, desc = "suspended for ever")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the two sides disagree")
    @State
    public static class Actual {
        private final ProwsDeque deque = new ProwsDeque();
        private final Suspension suspension = Suspension.bound(null, deque);

        public Actual() {
            deque.openSuspension();
            deque.openSuspension();
        }

        @Actor
        public void owner(ZZL_Result r) {
            r.r1 = deque.trySuspend();
        }

        @Actor
        public void resumer(ZZL_Result r) {
            suspension.tryResume(NODE);
            r.r2 = deque.deliver(suspension);
        }

        @Arbiter
        public void afterwards(ZZL_Result r) {
            r.r3 = deque.popTop() == NODE ? deque.state().name() : "LOST";
        }
    }

    /** State and inbox as two words, each side storing one and then loading the other, without a fence. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "suspended, then resumed")
    @Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "completed early")
    @Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "both act; a CAS would decide")
    @Outcome(id = "true, false", expect = Expect.FORBIDDEN, desc = "suspended for ever")
    @State
    public static class Broken {
        private final AtomicBoolean suspended = new AtomicBoolean();
        private final AtomicBoolean delivered = new AtomicBoolean();

        @Actor
        public void owner(ZZ_Result r) {
            suspended.setRelease(true); // the fence is missing after this line
            r.r1 = !delivered.get();
        }

        @Actor
        public void resumer(ZZ_Result r) {
            delivered.setRelease(true); // and after this one
            r.r2 = suspended.get();
        }
    }
}
