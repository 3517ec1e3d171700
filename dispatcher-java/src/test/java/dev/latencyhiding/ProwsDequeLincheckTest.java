package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/**
 * The races of one deque's control word and inbox, each alone and small enough for Lincheck to see
 * every order of the few steps that matter: D2, D3, D4 and who owns what. Two threads that both
 * believe to own a deque, or both that the other acts, lose nodes.
 */
class ProwsDequeLincheckTest {
    private static final int INTERLEAVINGS = 150;
    private static final SchedulerCore CORE = new Stage(1).core;

    /** D2. Fails if trySuspend stores the word it has read without comparing, or deliver does not wake. */
    @Test
    void trySuspend_whileDelivered_oneSeesTheOther() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final ProwsDeque deque = new ProwsDeque();
            final Suspension suspension = openAndResume(deque);
            final boolean[] did = new boolean[2];
            Interleavings.inParallel(() -> did[0] = deque.trySuspend(), () -> did[1] = deque.deliver(suspension));
            assertEquals(did[0], did[1], "suspended means woken");
            assertSame(did[1] ? DequeState.RESUMABLE : DequeState.ACTIVE, deque.state());
            assertEquals(0, deque.openSuspensions());
            assertNotNull(deque.popTop());
        });
    }

    /** D3. Fails without {@code last ||} in closeSuspension. */
    @Test
    void trySuspend_whileWithdrawn_notSuspendedForEver() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final ProwsDeque deque = new ProwsDeque();
            deque.openSuspension();
            final boolean[] did = new boolean[2];
            Interleavings.inParallel(() -> did[0] = deque.trySuspend(), () -> did[1] = deque.withdraw());
            assertEquals(did[0], did[1], "suspended means set free");
            assertSame(did[1] ? DequeState.RESUMABLE : DequeState.ACTIVE, deque.state());
        });
    }

    /** D3 with two. The node that came back may be gone before the owner looks. Fails as the one above. */
    @Test
    void trySuspend_whileOneDeliveredAndStolenAndOneWithdrawn_notSuspendedForEver() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final ProwsDeque deque = new ProwsDeque();
            final Suspension suspension = openAndResume(deque);
            deque.openSuspension();
            Interleavings.inParallel(
                    deque::trySuspend,
                    () -> {
                        deque.deliver(suspension);
                        assertNotNull(deque.popTop());
                    },
                    deque::withdraw);
            assertNotEquals(DequeState.SUSPENDED, deque.state());
            assertEquals(0, deque.openSuspensions());
        });
    }

    /** D4. Fails if deliver closes the suspension before it publishes the node. */
    @Test
    void countThenInbox_whileDelivered_neverBothEmpty() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final ProwsDeque deque = new ProwsDeque();
            final Suspension suspension = openAndResume(deque);
            final boolean[] free = new boolean[1];
            Interleavings.inParallel(
                    () -> free[0] = deque.openSuspensions() == 0 && deque.isEmpty(), () -> deque.deliver(suspension));
            assertEquals(false, free[0], "the node is there");
        });
    }

    /** D4, as the thief applies it. */
    @Test
    void discard_whileDelivered_freedOnlyWithoutTheNode() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final Stage stage = new Stage(1);
            final ProwsDeque deque = new ProwsDeque();
            final Suspension suspension = openAndResume(deque);
            final boolean[] woke = new boolean[1];
            Interleavings.inParallel(
                    () -> stage.actor(0).thief.discard(deque), () -> woke[0] = deque.deliver(suspension));
            assertEquals(0, stage.actor(0).worker.pool.size(), "freed with a node in it");
            assertSame(DequeState.RESUMABLE, deque.state());
            assertTrue(woke[0] || deque.inStealableSet(), "somebody finds it");
            assertNotNull(deque.popTop());
        });
    }

    /** D1. Fails if tryMove stores the state without comparing. */
    @Test
    void tryClaim_byThree_oneOwns() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final ProwsDeque deque = new ProwsDeque();
            deque.leave(DequeState.RESUMABLE);
            final boolean[] owns = new boolean[3];
            Interleavings.inParallel(
                    () -> owns[0] = deque.tryClaim(DequeState.RESUMABLE),
                    () -> {
                        deque.tryMarkMuggable();
                        owns[1] = deque.tryClaim(DequeState.MUGGABLE);
                    },
                    () -> owns[2] = deque.tryClaim(DequeState.MUGGABLE));
            assertEquals(1, (owns[0] ? 1 : 0) + (owns[1] ? 1 : 0) + (owns[2] ? 1 : 0));
            assertSame(DequeState.ACTIVE, deque.state());
        });
    }

    /** The fair lane. Fails if unmarkQueued reads the state before it clears the bit. */
    @Test
    void unmarkQueued_whileLeft_oneOfThemSeesToIt() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final ProwsDeque deque = new ProwsDeque();
            assertTrue(deque.tryMarkQueued());
            final boolean[] queuedAgain = new boolean[1];
            final DequeState[] seen = new DequeState[1];
            Interleavings.inParallel(
                    () -> {
                        deque.leave(DequeState.MUGGABLE);
                        queuedAgain[0] = deque.tryMarkQueued();
                    },
                    () -> seen[0] = deque.unmarkQueued());
            assertTrue(queuedAgain[0] || seen[0] == DequeState.MUGGABLE, "an entry, or somebody who saw it");
        });
    }

    /** The inbox. Fails if deliver or tryTakeOut stores the head without comparing. */
    @Test
    void inbox_deliveredByTwoWhilePopped_eachNodeOnce() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final ProwsDeque deque = new ProwsDeque();
            final Suspension one = openAndResume(deque);
            final Suspension two = openAndResume(deque);
            final Runnable[] popped = new Runnable[1];
            Interleavings.inParallel(
                    () -> deque.deliver(one), () -> deque.deliver(two), () -> popped[0] = deque.popTop());
            final Runnable first = popped[0] != null ? popped[0] : deque.popTop();
            final Runnable second = deque.popTop();
            assertNotNull(first);
            assertNotNull(second);
            assertNotSame(first, second);
            assertNull(deque.popTop());
        });
    }

    /** By the lane or by the inbox. Fails if Suspension.takeNode reads and clears the node in two steps. */
    @Test
    void takeNode_byLaneWhilePopped_oneGetsIt() {
        Interleavings.check(INTERLEAVINGS, () -> {
            final ProwsDeque deque = new ProwsDeque();
            final Suspension suspension = openAndResume(deque);
            deque.deliver(suspension);
            final Runnable[] got = new Runnable[2];
            Interleavings.inParallel(() -> got[0] = suspension.takeNode(), () -> got[1] = deque.popTop());
            assertTrue((got[0] == null) != (got[1] == null), "one of them");
            assertTrue(deque.isEmpty());
        });
    }

    /** A suspension whose node is on its way back, but not delivered yet. */
    private static Suspension openAndResume(ProwsDeque deque) {
        deque.openSuspension();
        final Suspension suspension = Suspension.bound(CORE, deque);
        assertTrue(suspension.tryResume(new Stage.Node()));
        return suspension;
    }
}
