package dev.latencyhiding;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * One thread publishes a node and signals, the other announces that it sleeps and looks once more.
 * Either it is woken or it sees the node; else the node waits for a wake-up that never comes. To see
 * {@code Actual} fail, remove {@code VarHandle.fullFence()} from IdleWorkers.signal. The one in
 * announceSleep follows a CAS, which is a full fence on x86.
 */
public final class IdleWorkersSignalJcstress {
    static final Runnable NODE = () -> {};

    private IdleWorkersSignalJcstress() {}

    /** The protocol of the scheduler. */
    @JCStressTest
    @Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "woken")
    @Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "the node was seen")
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "both")
    @Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "a lost wake-up")
    @State
    @SuppressWarnings("this-escape") // jcstress asks for a class that is not final; nobody extends it
    public static class Actual implements Gate {
        private final WorkDeque deque = new WorkDeque(2);
        private final IdleWorkers idle = new IdleWorkers(1, () -> false, () -> {}, () -> {});
        private final IdleWorkers.Sleeper sleeper = new IdleWorkers.Sleeper(this);
        private boolean woken;

        @Actor
        public void publisher(ZZ_Result r) {
            deque.pushBottom(NODE);
            idle.signal();
            r.r1 = woken; // written by this thread, if at all
        }

        @Actor
        public void sleeper(ZZ_Result r) {
            idle.announceSleep(sleeper, false);
            r.r2 = !deque.isEmpty();
        }

        @Override
        public void park() {
            throw new IllegalStateException("nobody parks here");
        }

        @Override
        public void parkNanos(long nanos) {
            throw new IllegalStateException("nobody naps here");
        }

        @Override
        public void unpark() {
            woken = true;
        }
    }

    /** The same without the fence between publishing and reading the number of sleepers. */
    @JCStressTest
    @Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "woken")
    @Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "the node was seen")
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "both")
    @Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "a lost wake-up")
    @State
    public static class Broken {
        private final AtomicInteger nodes = new AtomicInteger();
        private final AtomicInteger sleepers = new AtomicInteger();

        @Actor
        public void publisher(ZZ_Result r) {
            nodes.setRelease(1); // the fence is missing after this line
            r.r1 = sleepers.get() > 0;
        }

        @Actor
        public void sleeper(ZZ_Result r) {
            sleepers.getAndIncrement();
            r.r2 = nodes.get() > 0;
        }
    }
}
