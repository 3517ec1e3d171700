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
 * One thread steps in, reads the state and publishes if the door is open; the other closes the door,
 * waits for those inside and looks for work. What was let in must be found, else it sits in a queue
 * nobody reads. To see {@code Actual} fail, remove {@code VarHandle.fullFence()} from
 * Admission.awaitEmpty. The one in enter follows a CAS, which is a full fence on x86.
 */
public final class AdmissionJcstress {
    private AdmissionJcstress() {}

    /** The admission of the scheduler. The door is stored opaquely, so that its fences are all there is. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "let in and found")
    @Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "refused")
    @Outcome(id = "true, false", expect = Expect.FORBIDDEN, desc = "let in and lost")
    @State
    public static class Actual {
        private final Admission admission = new Admission();
        private final AtomicBoolean closed = new AtomicBoolean();
        private boolean published;

        @Actor
        public void entering(ZZ_Result r) {
            admission.enter();
            if (!closed.get()) {
                published = true;
                r.r1 = true;
            }
            admission.exit();
        }

        @Actor
        public void closing(ZZ_Result r) {
            closed.setOpaque(true);
            admission.awaitEmpty();
            r.r2 = published;
        }
    }

    /** The same without the fence between closing the door and reading the counters. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "let in and found")
    @Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "refused")
    @Outcome(id = "true, false", expect = Expect.FORBIDDEN, desc = "let in and lost")
    @State
    public static class Broken {
        private final AtomicLong begun = new AtomicLong();
        private final AtomicLong ended = new AtomicLong();
        private final AtomicBoolean closed = new AtomicBoolean();
        private boolean published;

        @Actor
        public void entering(ZZ_Result r) {
            begun.getAndIncrement();
            if (!closed.get()) {
                published = true;
                r.r1 = true;
            }
            ended.getAndIncrement();
        }

        @Actor
        public void closing(ZZ_Result r) {
            closed.setOpaque(true); // the fence is missing after this line
            while (ended.get() != begun.get()) {
                Thread.onSpinWait();
            }
            r.r2 = published;
        }
    }
}
