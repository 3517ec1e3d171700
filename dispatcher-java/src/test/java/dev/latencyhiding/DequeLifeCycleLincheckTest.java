package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latencyhiding.Stage.Actor;
import dev.latencyhiding.Stage.Node;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.junit.jupiter.api.Test;

/**
 * A deque from its node's suspension to its end, with two or three threads at work on it: the owner
 * that suspends, those who resume or release, thieves that steal, mug and free. Whatever the order,
 * every node runs exactly once, no deque stays suspended, and what was freed belongs to one worker
 * (D1 to D4). This is the race that made the first implementations of the algorithm lose nodes.
 */
class DequeLifeCycleLincheckTest {
    private static final int INTERLEAVINGS = 200;

    /** A Lincheck that sees no races would pass everything below. */
    @Test
    void racyCounter_canary_isReported() {
        assertThrows(
                LincheckAssertionError.class,
                () -> Interleavings.check(INTERLEAVINGS, () -> {
                    final int[] counter = {0};
                    Interleavings.inParallel(() -> counter[0]++, () -> counter[0]++);
                    assertEquals(2, counter[0]);
                }));
    }

    /** Early completion, on an empty deque and on one with nodes. */
    @Test
    void suspend_whileResumed_nodeRunsOnce() {
        Interleavings.check(INTERLEAVINGS, () -> suspendWhileResumed(0));
    }

    @Test
    void suspendWithNodes_whileResumed_nodesRunOnce() {
        Interleavings.check(INTERLEAVINGS, () -> suspendWhileResumed(1));
    }

    private static void suspendWhileResumed(int children) {
        final Stage stage = new Stage(2);
        final Actor owner = stage.actor(0);
        stage.newActive(owner, children);
        final Suspension suspension = owner.worker.openSuspension();
        final Node resumed = stage.node();
        Interleavings.inParallel(owner::returnBlocked, () -> suspension.resume(resumed));
        finish(stage);
    }

    /** Fails if ProwsDeque.closeSuspension wakes only for the last. */
    @Test
    void suspend_whileTwoResume_bothRunOnce() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Stage stage = new Stage(2);
            final Actor owner = stage.actor(0);
            stage.newActive(owner, 0);
            final Suspension first = owner.worker.openSuspension();
            final Suspension second = owner.worker.openSuspension();
            final Node one = stage.node();
            final Node two = stage.node();
            Interleavings.inParallel(owner::returnBlocked, () -> first.resume(one), () -> second.resume(two));
            finish(stage);
        });
    }

    /** One suspension brings a node back, the other none; the deque is taken over either way. */
    @Test
    void suspend_whileOneReleasesAndOneResumes_nothingStaysSuspended() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Stage stage = new Stage(2);
            final Actor owner = stage.actor(0);
            stage.newActive(owner, 1);
            final Suspension released = owner.worker.openSuspension();
            final Suspension resumed = owner.worker.openSuspension();
            final Node node = stage.node();
            Interleavings.inParallel(owner::returnBlocked, released::release, () -> resumed.resume(node));
            finish(stage);
        });
    }

    /** Fails if Suspension.tryResume or release does not decide by a compare-and-set. */
    @Test
    void suspend_whileTheSameIsResumedAndReleased_oneWins() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Stage stage = new Stage(2);
            final Actor owner = stage.actor(0);
            stage.newActive(owner, 1);
            final Suspension suspension = owner.worker.openSuspension();
            final Node node = stage.node();
            final boolean[] won = new boolean[2];
            Interleavings.inParallel(
                    owner::returnBlocked, () -> won[0] = suspension.release(), () -> won[1] = suspension.resume(node));
            assertTrue(won[0] != won[1], "one of them ended it");
            node.expect(won[1]);
            finish(stage);
        });
    }

    /**
     * The thief empties the deque, takes its array away and suspends it again. Fails if Thief.discard
     * does not suspend a deque with open suspensions, or returns when trySuspend fails.
     */
    @Test
    void stealLast_ofSuspendedWhileResumed_allRunOnce() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Stage stage = new Stage(2);
            final Actor owner = stage.actor(0);
            final Actor thief = stage.actor(1);
            final ProwsDeque deque = stage.newActive(owner, 1);
            final Suspension suspension = owner.worker.openSuspension();
            final Suspension late = owner.worker.openSuspension();
            owner.returnBlocked();
            assertSame(DequeState.SUSPENDED, deque.state());
            final Node resumed = stage.node();
            final Node resumedLate = stage.node();
            Interleavings.inParallel(thief::steal, () -> suspension.resume(resumed));
            assertTrue(late.resume(resumedLate));
            finish(stage);
        });
    }

    /**
     * The thief that empties the deque frees it, uses it again and suspends it once more, while the one
     * that released its last suspension still looks at it. Fails if ProwsR.settle
     * treats a deque with open suspensions or nodes as garbage.
     */
    @Test
    void release_whileThiefRecyclesIt_newLifeIsUntouched() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Stage stage = new Stage(2);
            final Actor owner = stage.actor(0);
            final Actor thief = stage.actor(1);
            stage.newActive(owner, 1);
            final Suspension released = owner.worker.openSuspension();
            owner.returnBlocked();
            final Node again = stage.node();
            final Node child = stage.node();
            Interleavings.inParallel(
                    () -> {
                        assertTrue(thief.steal());
                        thief.worker.setActive(null); // the next node runs on the deque just freed
                        final Suspension[] opened = new Suspension[1];
                        thief.worker.execute(() -> {
                            thief.worker.push(child);
                            opened[0] = thief.worker.openSuspension();
                        });
                        opened[0].resume(again);
                    },
                    released::release);
            finish(stage);
        });
    }

    /** Three workers at one deque: one takes the wake-up, the others steal and mug. */
    @Test
    void mug_whileWokenUpAndStolenFrom_oneOwner() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Stage stage = new Stage(3);
            final Actor owner = stage.actor(0);
            stage.newActive(owner, 2);
            final Suspension suspension = owner.worker.openSuspension();
            owner.returnBlocked();
            assertTrue(suspension.resume(stage.node()));
            final Actor thief = stage.actor(1);
            final Actor woken = stage.actor(2);
            Interleavings.inParallel(
                    () -> {
                        thief.steal();
                        thief.steal();
                    },
                    woken::takeTurn,
                    owner::steal);
            finish(stage);
        });
    }

    /**
     * D4: the deque is not freed while the second suspension is open, so the late resumer never meets
     * one that was recycled. Fails if Thief.discard frees a deque with open suspensions.
     */
    @Test
    void free_whileLateResumerHoldsIt_neverRecycledBefore() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Stage stage = new Stage(2);
            final Actor owner = stage.actor(0);
            stage.newActive(owner, 1);
            final Suspension first = owner.worker.openSuspension();
            final Suspension late = owner.worker.openSuspension();
            owner.returnBlocked();
            final Node one = stage.node();
            final Node two = stage.node();
            final Node child = stage.node();
            assertTrue(first.resume(one));
            final Actor taker = stage.actor(1);
            Interleavings.inParallel(
                    () -> {
                        assertTrue(taker.takeTurn());
                        assertTrue(taker.takeTurn()); // so that it is empty, unless the late one is back
                        taker.worker.giveUpDeques();
                        assertReusable(taker.worker.pool.size() == 0 ? null : taker.worker.pool.take());
                        taker.worker.execute(() -> taker.worker.push(child));
                    },
                    () -> late.resume(two));
            finish(stage);
        });
    }

    private static void assertReusable(ProwsDeque deque) {
        if (deque != null) {
            assertEquals(0, deque.openSuspensions(), "D4: freed with an open suspension");
            assertTrue(deque.isEmpty(), "D4: freed with a node in it");
        }
    }

    /**
     * An entry of an earlier time is taken while the deque is given away again. Fails if
     * ProwsWorker.suspendActive does not offer the deque.
     */
    @Test
    void suspend_whileStaleEntryIsTaken_dequeWithNodesHasEntry() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Stage stage = new Stage(2);
            final Actor owner = stage.actor(0);
            final Actor other = stage.actor(1);
            final ProwsDeque deque = stage.newActive(owner, 3);
            stage.core.lanes.offerLeft(deque); // left by a time when it had no owner
            final Suspension suspension = owner.worker.openSuspension();
            Interleavings.inParallel(owner::returnBlocked, () -> other.turns.next());
            if (deque.state() != DequeState.ACTIVE && !deque.isEmpty()) {
                assertTrue(stage.core.lanes.hasLeft(), "nobody knows of " + deque);
            }
            assertNotNull(suspension);
        });
    }

    private static void finish(Stage stage) {
        stage.drain();
        stage.assertAllDone();
    }
}
