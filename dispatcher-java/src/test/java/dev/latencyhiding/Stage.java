package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Workers without threads, for tests that make their steps themselves, and the check of the invariants. */
final class Stage {
    final SchedulerCore core;
    private final Actor[] actors;
    private final List<Node> nodes = new ArrayList<>();
    private final List<ProwsDeque> deques = new ArrayList<>();

    Stage(int workers) {
        core = new SchedulerCore(
                new SchedulerConfig("stage", workers, Policy.PROWS_R, 0, true, null, 1, MonitorGate::new));
        actors = new Actor[workers];
        for (int i = 0; i < workers; i++) {
            actors[i] = new Actor(core, i);
            core.workers.add(actors[i].worker);
        }
    }

    Actor actor(int index) {
        return actors[index];
    }

    /** A node that the end of the test expects to have run once. */
    Node node() {
        final Node node = new Node();
        nodes.add(node);
        return node;
    }

    /** Gives the actor a fresh active deque, on which its next node runs, with nodes below that one. */
    ProwsDeque newActive(Actor actor, int children) {
        final ProwsDeque deque = actor.worker.pool.take();
        track(deque);
        actor.worker.setActive(deque);
        for (int i = 0; i < children; i++) {
            actor.worker.push(node());
        }
        return deque;
    }

    /** The deque is looked at in the end. */
    void track(ProwsDeque deque) {
        deques.add(deque);
    }

    /** Runs what is left to run, on the calling thread. */
    void drain() {
        boolean found;
        do {
            found = false;
            for (Actor actor : actors) {
                found |= actor.step();
            }
        } while (found);
    }

    /** What must hold when nobody is at work and no suspension is open. */
    void assertAllDone() {
        for (Node node : nodes) {
            assertEquals(node.expected, node.runs.get(), "runs of a node");
        }
        for (ProwsDeque deque : deques) {
            assertEquals(0, deque.openSuspensions(), "open suspensions");
            assertNotEquals(DequeState.SUSPENDED, deque.state(), "D3: suspended for ever");
            assertSame(DequeState.ACTIVE, deque.state(), "left behind, empty as it is");
            assertTrue(deque.isEmpty(), "nodes left");
        }
        assertSetsAgree();
        assertPoolsClean();
    }

    /** S1 and S2. */
    void assertSetsAgree() {
        for (Actor actor : actors) {
            final StealableSet set = actor.worker.set;
            for (int i = 0; i < set.size(); i++) {
                assertSame(set, set.get(i).set, "S1");
                assertEquals(i, set.get(i).indexInSet, "S1");
            }
            assertNull(set.get(set.size()), "S2");
        }
        for (ProwsDeque deque : deques) {
            assertTrue(deque.set == null || deque.set.get(deque.indexInSet) == deque, "S1");
        }
    }

    /** D4: what is in a pool belongs to that worker alone. Empties the pools. */
    private void assertPoolsClean() {
        final Set<ProwsDeque> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Actor actor : actors) {
            final Worker worker = actor.worker;
            assertTrue(worker.active() == null || seen.add(worker.active()), "owned by two");
            assertTrue(worker.home() == null || seen.add(worker.home()), "owned by two");
            while (worker.pool.size() > 0) {
                final ProwsDeque free = worker.pool.take();
                assertTrue(seen.add(free), "freed twice");
                assertSame(DequeState.ACTIVE, free.state(), "a freed deque");
                assertTrue(free.isEmpty() && free.openSuspensions() == 0 && !free.inStealableSet(), "D4: " + free);
            }
        }
    }

    /** One worker, to be used by one thread at a time. */
    static final class Actor {
        final ProwsWorker worker;
        final Thief thief;
        final Turns turns;

        Actor(SchedulerCore core, int id) {
            worker = new ProwsWorker(core, id, id + 1L, new MonitorGate(), false);
            thief = new Thief(worker, 2);
            turns = new Turns(worker, thief);
        }

        /** Ends the node that opened the suspensions: suspends, unless they all came back. */
        void returnBlocked() {
            worker.execute(() -> {});
        }

        /** Takes and runs one node, as the worker's loop would. */
        boolean step() {
            final Runnable node = turns.next();
            return run(node != null ? node : thief.sweep());
        }

        /** As {@link #step}, without stealing. */
        boolean takeTurn() {
            return run(turns.next());
        }

        /** As {@link #step}, stealing only. */
        boolean steal() {
            return run(thief.sweep());
        }

        private boolean run(Runnable node) {
            if (node != null) {
                worker.execute(node);
            }
            return node != null;
        }
    }

    /** Counts its runs. */
    static final class Node implements Runnable {
        private final AtomicInteger runs = new AtomicInteger();
        private volatile int expected = 1;

        @Override
        public void run() {
            runs.incrementAndGet();
        }

        void expect(boolean once) {
            expected = once ? 1 : 0;
        }
    }
}
