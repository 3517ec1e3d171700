package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Deques of LHWS while their owner suspends, frees or leaves them, and others resume, release, steal and
 * adopt. Whatever the order, every node runs once, and in the end nothing is suspended, ready or left in
 * the set of victims but what is active.
 */
class LhwsLincheckTest {
    private static final int INTERLEAVINGS = 60;

    /** Two workers without threads. */
    private static final class Scene {
        final SchedulerCore core =
                new SchedulerCore(new SchedulerConfig("scene", 2, Policy.LHWS, 0, true, null, 1, MonitorGate::new));
        final Lhws lhws = (Lhws) core.algorithm();
        final LhwsWorker owner = newWorker(1);
        final LhwsWorker other = newWorker(2);
        private final AtomicInteger runs = new AtomicInteger();
        private int expected;

        private LhwsWorker newWorker(int id) {
            final LhwsWorker made = lhws.newWorker(id, id, new MonitorGate(), false);
            core.workers.add(made);
            return made;
        }

        Runnable node() {
            expected++;
            return runs::incrementAndGet;
        }

        List<Suspension> open(int count) {
            final List<Suspension> opened = new ArrayList<>();
            owner.execute(() -> {
                for (int i = 0; i < count; i++) {
                    opened.add(owner.openSuspension());
                }
            });
            return opened;
        }

        /** Takes and runs one node, if there is one. A tree is forked here, as it needs a worker's thread. */
        boolean step(LhwsWorker worker) {
            final Runnable node = worker.next();
            return run(worker, node);
        }

        boolean run(LhwsWorker worker, Runnable node) {
            if (node != null) {
                worker.execute(node instanceof ResumedVertices tree ? tree.fork(worker::push) : node);
            }
            return node != null;
        }

        void finish(LhwsWorker... workers) {
            boolean found;
            do {
                found = false;
                for (LhwsWorker worker : workers) {
                    found |= step(worker) || run(worker, worker.sweep());
                }
            } while (found);
            int active = 0;
            for (LhwsWorker worker : workers) {
                assertFalse(worker.hasErrands());
                active += worker.active() == null ? 0 : 1;
            }
            assertEquals(expected, runs.get(), "runs");
            assertFalse(core.hasWork());
            assertEquals(0, core.sum(Counter.SUSPENDED_DEQUES), "suspended");
            assertEquals(0, core.sum(Counter.RESUMABLE_DEQUES), "ready");
            assertEquals(active, lhws.deques.size(), "victims");
        }
    }

    /** Fails if LhwsWorker.addResumedVertices unmarks the deque after it has taken the inbox. */
    @Test
    void suspend_whileTwoResume_bothRun() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Scene scene = new Scene();
            final List<Suspension> opened = scene.open(2);
            final Runnable one = scene.node();
            final Runnable two = scene.node();
            Interleavings.inParallel(
                    () -> {
                        scene.step(scene.owner);
                        scene.step(scene.owner);
                    },
                    () -> opened.get(0).resume(one),
                    () -> opened.get(1).resume(two));
            scene.finish(scene.owner, scene.other);
        });
    }

    /** A slow resumer's hint meets a deque that was freed, and perhaps used again. */
    @Test
    void free_whileResumedAndReleased_isUsableAgain() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Scene scene = new Scene();
            final List<Suspension> opened = scene.open(2);
            scene.step(scene.owner);
            final Runnable one = scene.node();
            final Runnable own = scene.node();
            Interleavings.inParallel(
                    () -> {
                        scene.step(scene.owner);
                        scene.owner.execute(() -> scene.owner.push(own));
                        scene.step(scene.owner);
                    },
                    () -> opened.get(0).resume(one),
                    () -> assertTrue(opened.get(1).release()));
            scene.finish(scene.owner, scene.other);
        });
    }

    /** Fails if LhwsWorker.sweep or inject does not decide by the inbox who has the node. */
    @Test
    void inject_whileSwept_nodeRunsOnce() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Scene scene = new Scene();
            final List<Suspension> opened = scene.open(2);
            opened.get(0).resume(scene.node());
            final Runnable late = scene.node();
            Interleavings.inParallel(
                    () -> scene.step(scene.owner),
                    () -> scene.run(scene.other, scene.other.sweep()),
                    () -> opened.get(1).resume(late));
            scene.finish(scene.owner, scene.other);
        });
    }

    /** L1. Fails if LhwsWorker.giveUpDeques does not hand on what was resumed, or adopt asks nobody. */
    @Test
    void retire_whileResumed_isAdopted() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Scene scene = new Scene();
            final List<Suspension> opened = scene.open(2);
            final Runnable child = scene.node();
            scene.owner.execute(() -> scene.owner.push(child));
            final Runnable one = scene.node();
            final Runnable two = scene.node();
            Interleavings.inParallel(
                    scene.owner::giveUpDeques,
                    () -> {
                        opened.get(0).resume(one);
                        opened.get(1).resume(two);
                    },
                    () -> scene.step(scene.other));
            scene.finish(scene.other);
        });
    }
}
