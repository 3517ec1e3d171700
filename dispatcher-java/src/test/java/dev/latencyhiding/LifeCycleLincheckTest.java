package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.junit.jupiter.api.Test;

/**
 * Work from outside is either refused, with an exception, or found before the scheduler terminates.
 * A node that was accepted and then put into a queue nobody reads would never run, and its caller
 * would never know.
 */
class LifeCycleLincheckTest {
    private static final int INTERLEAVINGS = 120;

    /** Fails if LifeCycle.tryTerminate does not wait for the admitted, or does not look again afterwards. */
    @Test
    void shutdown_whileSubmitted_refusedOrFound() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Scene scene = new Scene();
            Interleavings.inParallel(scene::submit, scene.lifeCycle::shutdown);
            scene.assertNothingLost();
        });
    }

    @Test
    void shutdown_whileTwoSubmit_refusedOrFound() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Scene scene = new Scene();
            Interleavings.inParallel(scene::submit, scene::submit, scene.lifeCycle::shutdown);
            scene.assertNothingLost();
        });
    }

    /** The resumed are accepted after shutdown: the door closes at the end only. */
    @Test
    void terminate_whileResumed_refusedOrFound() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Scene scene = new Scene();
            scene.queue.add(0);
            scene.lifeCycle.shutdown();
            assertFalse(scene.lifeCycle.isTerminated());
            Interleavings.inParallel(scene::resume, () -> {
                scene.takeAll();
                scene.lifeCycle.tryTerminate();
            });
            scene.assertNothingLost();
        });
    }

    /** While one thread closes the door another takes the last node. */
    @Test
    void terminate_byTwoWhileSubmitted_oneOfThemDoes() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Scene scene = new Scene();
            Interleavings.inParallel(scene::submit, scene.lifeCycle::shutdown, () -> {
                scene.takeAll();
                scene.lifeCycle.tryTerminate();
            });
            if (scene.queue.isEmpty()) {
                assertTrue(scene.lifeCycle.isTerminated(), "nothing is left and nobody terminates");
            }
            scene.assertNothingLost();
        });
    }

    /**
     * The last worker goes to sleep just when the door is closed for nothing, and leaves the end to
     * whoever closed it. Fails if LifeCycle.tryTerminate does not loop.
     */
    @Test
    void terminate_lastWorkerFindsDoorClosed_closerLooksAgain() {
        final LifeCycle[] lifeCycle = new LifeCycle[1];
        final AtomicInteger looks = new AtomicInteger();
        lifeCycle[0] = new LifeCycle(
                "scene",
                () -> {
                    final boolean atTheDoor = looks.incrementAndGet() == 2;
                    if (atTheDoor) {
                        lifeCycle[0].tryTerminate();
                    }
                    return !atTheDoor;
                },
                () -> {});
        lifeCycle[0].shutdown();
        assertTrue(lifeCycle[0].isTerminated());
    }

    /** The twin without a door: looks at the state, then publishes. */
    @Test
    void shutdown_withoutAdmission_lossIsReported() {
        assertThrows(
                LincheckAssertionError.class,
                () -> Interleavings.check(INTERLEAVINGS, () -> {
                    final ConcurrentLinkedQueue<Integer> queue = new ConcurrentLinkedQueue<>();
                    final AtomicInteger terminated = new AtomicInteger();
                    Interleavings.inParallel(
                            () -> {
                                if (terminated.get() == 0) {
                                    queue.add(1);
                                }
                            },
                            () -> {
                                if (queue.isEmpty()) {
                                    terminated.set(1);
                                }
                            });
                    assertTrue(terminated.get() == 0 || queue.isEmpty());
                }));
    }

    private static final class Scene {
        private final ConcurrentLinkedQueue<Integer> queue = new ConcurrentLinkedQueue<>();
        private final AtomicInteger accepted = new AtomicInteger();
        private final AtomicInteger taken = new AtomicInteger();
        private final AtomicInteger terminations = new AtomicInteger();
        private final LifeCycle lifeCycle = new LifeCycle("scene", queue::isEmpty, terminations::incrementAndGet);

        void submit() {
            handIn(lifeCycle::enterWithNewWork);
        }

        void resume() {
            handIn(lifeCycle::enterWithResumed);
        }

        private void handIn(Runnable enter) {
            try {
                enter.run();
            } catch (RejectedExecutionException refused) {
                return;
            }
            queue.add(1);
            accepted.incrementAndGet();
            lifeCycle.exit();
        }

        void takeAll() {
            while (queue.poll() != null) {
                taken.incrementAndGet();
            }
        }

        /** Terminated means that nothing is queued; if not, the last to take a node terminates. */
        void assertNothingLost() {
            assertTrue(queue.isEmpty() || !lifeCycle.isTerminated(), "accepted, and nobody reads it");
            takeAll();
            lifeCycle.tryTerminate();
            assertTrue(lifeCycle.isTerminated());
            assertEquals(1, terminations.get(), "terminated once");
            assertThrows(RejectedExecutionException.class, lifeCycle::enterWithNewWork);
            assertThrows(RejectedExecutionException.class, lifeCycle::enterWithResumed);
        }
    }
}
