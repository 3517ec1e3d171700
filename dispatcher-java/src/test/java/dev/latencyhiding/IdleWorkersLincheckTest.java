package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.junit.jupiter.api.Test;

/**
 * No wake-up is lost: workers that follow the protocol of IdleWorkers, and publishers that signal,
 * never end with a node in the queue and everybody asleep. A lost wake-up would stop a program for
 * ever, and only now and then. The gates are monitors, so it shows as a deadlock here.
 *
 * <p>Each worker takes one item and is then busy for ever, so that every item needs a worker of its
 * own and the searcher that finds one must wake the next.
 */
class IdleWorkersLincheckTest {
    private static final int INTERLEAVINGS = 250;

    @Test
    void park_oneWorkerOnePublisher_woken() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Scene scene = new Scene(1);
            Interleavings.inParallel(scene::publish, scene::takeOne);
            scene.assertDone(1);
        });
    }

    /** Fails if the last searcher to stop wakes nobody in IdleWorkers.stopSearching. */
    @Test
    void park_twoWorkersOnePublisherOfTwo_bothWoken() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Scene scene = new Scene(1);
            Interleavings.inParallel(
                    () -> {
                        scene.publish();
                        scene.publish();
                    },
                    scene::takeOne,
                    scene::takeOne);
            scene.assertDone(2);
        });
    }

    @Test
    void park_twoWorkersTwoPublishersTwoSearchers_bothWoken() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Scene scene = new Scene(2);
            Interleavings.inParallel(scene::publish, scene::publish, scene::takeOne, scene::takeOne);
            scene.assertDone(2);
        });
    }

    /** A worker that is woken for another reason, as at the end, while a publisher wakes it too. */
    @Test
    void wakeThis_whilePublisherSignals_countsAgree() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Scene scene = new Scene(1);
            final IdleWorkers.Sleeper sleeper = new IdleWorkers.Sleeper(new MonitorGate());
            Interleavings.inParallel(
                    scene::publish, () -> scene.takeOne(sleeper, true), () -> scene.idle.wakeThis(sleeper));
            scene.assertDone(1);
        });
    }

    /**
     * A publisher that has taken a worker off the list is held up, while that worker goes on by itself and is about to
     * sleep again. What the publisher does then must not wake it: it is listed. Fails if IdleWorkers resets
     * Sleeper.listed behind the lock, before unpark, instead of in take.
     */
    @Test
    void park_wokenForEarlierSleep_sleepsOn() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Scene scene = new Scene(1);
            final AtomicInteger parked = new AtomicInteger();
            final IdleWorkers.Sleeper sleeper = new IdleWorkers.Sleeper(new LeavingGate(parked));
            Interleavings.inParallel(() -> scene.idle.wakeThis(sleeper), () -> {
                scene.idle.announceSleep(sleeper, false);
                scene.idle.cancelSleep(sleeper);
                scene.idle.stopSearching();
                scene.idle.announceSleep(sleeper, false);
            });
            try {
                scene.idle.park(sleeper);
            } catch (LeftGate expected) {
                // it would sleep now
            }
            assertEquals(scene.idle.sleepers(), parked.get(), "parked if listed");
        });
    }

    private static final class LeftGate extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Where nobody sleeps: who would is counted, and thrown out. */
    private record LeavingGate(AtomicInteger parked) implements Gate {
        @Override
        public void park() {
            parked.incrementAndGet();
            throw new LeftGate();
        }

        @Override
        public void parkNanos(long nanos) {
            park();
        }

        @Override
        public void unpark() {}
    }

    /** A publisher lets a napper alone, which takes another item. Fails if the last searcher to stop wakes nobody. */
    @Test
    void signalLone_napperTakesAnother_sleeperIsWoken() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Scene scene = new Scene(1);
            Interleavings.inParallel(
                    () -> {
                        scene.publishLone();
                        scene.publish();
                    },
                    scene::takeOne,
                    scene::napAndTakeOne);
            scene.assertDone(2);
        });
    }

    @Test
    void park_workerDoesNotLookAgain_deadlockIsReported() {
        assertThrows(
                LincheckAssertionError.class,
                () -> Interleavings.check(INTERLEAVINGS, () -> {
                    final Scene scene = new Scene(1);
                    final IdleWorkers.Sleeper sleeper = new IdleWorkers.Sleeper(new MonitorGate());
                    Interleavings.inParallel(scene::publish, () -> scene.takeOne(sleeper, false));
                }));
    }

    @Test
    void park_publisherDoesNotSignal_deadlockIsReported() {
        assertThrows(
                LincheckAssertionError.class,
                () -> Interleavings.check(INTERLEAVINGS, () -> {
                    final Scene scene = new Scene(1);
                    Interleavings.inParallel(() -> scene.queue.add(1), scene::takeOne);
                }));
    }

    private static final class Scene {
        private final ConcurrentLinkedQueue<Integer> queue = new ConcurrentLinkedQueue<>();
        private final AtomicInteger taken = new AtomicInteger();
        private final IdleWorkers idle;

        Scene(int maxSearchers) {
            idle = new IdleWorkers(maxSearchers, () -> !queue.isEmpty(), () -> {}, () -> {});
        }

        void publish() {
            queue.add(1);
            idle.signal();
        }

        void publishLone() {
            queue.add(1);
            idle.signalLone();
        }

        void napAndTakeOne() {
            final IdleWorkers.Sleeper sleeper = new IdleWorkers.Sleeper(new MonitorGate());
            idle.announceSleep(sleeper, false);
            idle.nap(sleeper, 1);
            final boolean found = search();
            idle.stopSearching();
            if (!found) {
                takeOne(sleeper, true);
            }
        }

        void takeOne() {
            takeOne(new IdleWorkers.Sleeper(new MonitorGate()), true);
        }

        /** Worker.searchOrSleep in short, until there was something to take. */
        void takeOne(IdleWorkers.Sleeper sleeper, boolean looksAgain) {
            boolean found;
            do {
                final boolean searching = idle.tryStartSearching();
                found = searching && search();
                if (!found) {
                    idle.announceSleep(sleeper, searching);
                    if (looksAgain && !queue.isEmpty()) {
                        idle.cancelSleep(sleeper);
                    } else {
                        idle.park(sleeper);
                    }
                    found = search();
                }
                idle.stopSearching();
            } while (!found);
        }

        private boolean search() {
            final boolean found = queue.poll() != null;
            if (found) {
                taken.incrementAndGet();
            }
            return found;
        }

        void assertDone(int items) {
            assertEquals(items, taken.get());
            assertTrue(queue.isEmpty());
            assertEquals(0, idle.sleepers(), "sleepers");
            assertEquals(0, idle.searchers(), "searchers");
        }
    }
}
