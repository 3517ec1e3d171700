package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latencyhiding.Stage.Actor;
import dev.latencyhiding.Stage.Node;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The seven promises of the algorithm, I1 to I7, one by one and without luck: workers without threads
 * take their steps in the order that hurts. Each comment names our invariant and a line that must be
 * broken to see the test fail.
 */
class InvariantsTest {
    private static final int DRAWS = 40_000;

    /**
     * I1 (D1, W2): nothing is lost and nothing runs twice, whatever the order of spawning, blocking,
     * resuming, releasing, stealing and giving up. Fails without {@code leave} at the end of
     * Thief.discard, or without {@code deque.set = null} in StealableSet.remove.
     */
    @Test
    void everyNode_inRandomOrderOfSteps_runsOnce() {
        final int walks = Interleavings.scaled(300);
        for (int seed = 0; seed < walks; seed++) {
            new RandomWalk(seed).run();
        }
    }

    /** I2 (D2): early completion. Fails without {@code anyCameEarly} in ProwsWorker.suspendActive. */
    @Test
    void suspend_oneOfTwoCameBack_staysActiveAndRunsIt() {
        final Stage stage = new Stage(2);
        final Actor owner = stage.actor(0);
        final ProwsDeque deque = stage.newActive(owner, 1);
        final Suspension early = owner.worker.openSuspension();
        final Suspension late = owner.worker.openSuspension();
        final Node node = stage.node();
        assertTrue(early.resume(node));

        owner.returnBlocked();
        assertSame(DequeState.ACTIVE, deque.state());
        assertSame(deque, owner.worker.active());
        assertFalse(deque.inStealableSet());
        assertEquals(1, stage.core.sum(Counter.EARLY_COMPLETIONS));
        assertSame(node, owner.turns.next());

        owner.worker.execute(node);
        assertTrue(late.resume(stage.node()));
        finish(stage);
    }

    /**
     * A thief may find a node in the inbox before its suspension is off the count, and suspend the empty deque again.
     * Then the entry in the lane is all that leads to the deque. Fails if Turns.takeResumed returns when the node is
     * taken.
     */
    @Test
    void takeResumed_nodeWasTaken_seesToTheDeque() {
        final Stage stage = new Stage(2);
        final Actor owner = stage.actor(0);
        final ProwsDeque deque = stage.newActive(owner, 1);
        final Suspension suspension = owner.worker.openSuspension();
        owner.returnBlocked();
        assertTrue(suspension.resume(stage.node()));
        for (Runnable node; (node = deque.popTop()) != null; ) {
            node.run();
        }
        assertSame(DequeState.RESUMABLE, deque.state());
        assertSame(deque, stage.core.lanes.pollLeft());
        deque.unmarkQueued();
        StealableSet.remove(deque);

        assertFalse(stage.actor(1).takeTurn());
        finish(stage);
    }

    /** I3: each wake-up of a deque carries a node of its own. Fails without {@code next = first} in deliver. */
    @Test
    void resume_threeOfOneDeque_allRun() {
        final Stage stage = new Stage(2);
        final Actor owner = stage.actor(0);
        stage.newActive(owner, 1);
        final List<Suspension> suspensions = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            suspensions.add(owner.worker.openSuspension());
        }
        owner.returnBlocked();
        for (Suspension suspension : suspensions) {
            assertTrue(suspension.resume(stage.node()));
        }
        boolean stolen;
        do {
            stolen = stage.actor(1).steal(); // without the lane of wake-ups, which has them too
        } while (stolen);
        stage.assertAllDone();
    }

    /** I4 (D3): cancellation. Fails without {@code last ||} in ProwsDeque.closeSuspension. */
    @Test
    void release_lastOfSuspended_canBeStolenFromAndMugged() {
        final Stage stage = new Stage(2);
        final Actor owner = stage.actor(0);
        final Actor thief = stage.actor(1);
        final ProwsDeque deque = stage.newActive(owner, 3);
        final Suspension suspension = owner.worker.openSuspension();
        owner.returnBlocked();
        assertSame(DequeState.SUSPENDED, deque.state());

        assertTrue(suspension.release());
        assertSame(DequeState.RESUMABLE, deque.state());
        assertTrue(thief.steal());
        assertSame(DequeState.MUGGABLE, deque.state());
        assertTrue(thief.steal());
        assertSame(deque, thief.worker.active());
        assertEquals(1, stage.core.sum(Counter.MUGGINGS));
        finish(stage);
    }

    /**
     * I5 (D4): a deque is not freed while a late resumer holds it; the node comes back to the deque it
     * left. Fails if Thief.discard frees without {@code deque.openSuspensions() == 0}.
     */
    @Test
    void free_withOpenSuspension_suspendsInstead() {
        final Stage stage = new Stage(2);
        final Actor owner = stage.actor(0);
        final Actor taker = stage.actor(1);
        final ProwsDeque deque = stage.newActive(owner, 1);
        final Suspension first = owner.worker.openSuspension();
        final Suspension late = owner.worker.openSuspension();
        owner.returnBlocked();
        assertTrue(first.resume(stage.node()));
        assertTrue(taker.takeTurn());
        assertSame(deque, taker.worker.active());
        assertTrue(taker.takeTurn()); // so that it is empty

        taker.worker.giveUpDeques();
        assertEquals(0, taker.worker.pool.size());
        assertSame(DequeState.SUSPENDED, deque.state());

        assertTrue(late.resume(stage.node()));
        assertTrue(taker.takeTurn());
        assertSame(deque, taker.worker.active());
        taker.worker.giveUpDeques();
        assertEquals(1, taker.worker.pool.size());
        finish(stage);
    }

    /** I6 (S1): the choice is uniform. Fails if StealableSet.chooseRandom draws from {@code size - 1}. */
    @Test
    void chooseRandom_eightDeques_eachAsOften() {
        final StealableSet set = new StealableSet(0);
        for (int i = 0; i < 8; i++) {
            assertTrue(set.add(new ProwsDeque()));
        }
        final int[] drawn = new int[8];
        final XorShift random = new XorShift(3);
        for (int i = 0; i < DRAWS; i++) {
            drawn[set.chooseRandom(random).indexInSet]++;
        }
        assertUniform(drawn);
    }

    /**
     * I6 (S1): a set that a deque was taken from gets one of another worker's, and membership agrees
     * with inStealableSet. Fails without {@code workers.rebalance} in Thief.delist, or if it moves to
     * another set than the emptied one.
     */
    @Test
    void delist_fromAnotherWorkersSet_refilledFromRandomWorker() {
        final Stage stage = new Stage(2);
        final Actor thief = stage.actor(0);
        final StealableSet full = thief.worker.set;
        final StealableSet emptied = stage.actor(1).worker.set;
        final int tries = 64;
        int refilled = 0;
        for (int i = 0; i < tries; i++) {
            final ProwsDeque spare = new ProwsDeque();
            final ProwsDeque delisted = new ProwsDeque();
            assertTrue(full.add(spare));
            assertTrue(emptied.add(delisted));
            thief.thief.delist(delisted);
            assertNull(delisted.set);
            assertEquals(1, full.size() + emptied.size());
            assertSame(emptied.size() == 1 ? emptied : full, spare.set);
            refilled += emptied.size();
            stage.assertSetsAgree();
            assertNotNull(StealableSet.remove(spare));
        }
        assertEquals(refilled, stage.core.sum(Counter.REBALANCED));
        assertTrue(refilled > tries / 4 && refilled < tries * 3 / 4, "of two workers each is picked: " + refilled);
    }

    /** I7: victims are all P, oneself included. Fails if Workers.random draws from {@code length - 1}. */
    @Test
    void victims_ofEveryWorker_eachAsOften() {
        final Stage stage = new Stage(4);
        final int[] drawn = new int[4];
        final XorShift random = new XorShift(5);
        for (int i = 0; i < DRAWS; i++) {
            drawn[stage.core.workers.random(random).id]++;
        }
        assertUniform(drawn);
    }

    /** I7: of a worker's deques each is as likely. Fails if Worker.chooseRandom leaves the active one out. */
    @Test
    void chooseRandom_ownedAndListed_eachAsOften() {
        final Stage stage = new Stage(1);
        final Worker worker = stage.actor(0).worker;
        final List<ProwsDeque> deques = List.of(new ProwsDeque(), new ProwsDeque(), new ProwsDeque(), new ProwsDeque());
        worker.setActive(deques.get(0));
        worker.setHome(deques.get(1));
        assertTrue(worker.set.add(deques.get(2)));
        assertTrue(worker.set.add(deques.get(3)));
        final int[] drawn = new int[4];
        final XorShift random = new XorShift(9);
        for (int i = 0; i < DRAWS; i++) {
            drawn[deques.indexOf(worker.chooseRandom(random))]++;
        }
        assertUniform(drawn);
    }

    /** I7: the sweep sees every place. Fails if Thief.sweep stops at {@code j > 0}, or skips home. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    void sweep_oneDequeOfManyHasNodes_foundWhereverItIs(int place) {
        final Stage stage = new Stage(2);
        final List<ProwsDeque> places = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            final Worker worker = stage.actor(i).worker;
            worker.setActive(new ProwsDeque());
            worker.setHome(new ProwsDeque());
            places.add(worker.active());
            places.add(worker.home());
            for (int j = 0; j < 2; j++) {
                final ProwsDeque listed = new ProwsDeque();
                assertTrue(worker.set.add(listed));
                places.add(listed);
            }
        }
        final Node node = stage.node();
        places.get(place).pushBottom(node, new DequePool());
        assertTrue(stage.core.hasWork(), "before it sleeps a worker sees the node");
        assertSame(node, stage.actor(0).thief.sweep());
    }

    /**
     * I7: nobody sleeps, or goes on guessing, while one deque among many has a node. Fails if
     * Worker.search ends with null instead of {@code thief.sweep()}.
     */
    @Test
    void search_randomMisses_sweepFindsTheNode() {
        final Stage stage = new Stage(1);
        final Worker worker = stage.actor(0).worker;
        final long[] triedBefore = {-1};
        for (int i = 0; i < 500; i++) {
            final ProwsDeque deque = new ProwsDeque();
            if (i == 250) {
                deque.pushBottom(() -> triedBefore[0] = stage.core.sum(Counter.STEALS_TRIED), worker.pool);
            }
            assertTrue(worker.set.add(deque));
        }
        stage.core.lifeCycle.shutdown(); // so that the loop ends when there is nothing left
        assertFalse(stage.core.lifeCycle.isTerminated());
        worker.run();
        assertTrue(triedBefore[0] >= 0, "the node ran");
        assertTrue(triedBefore[0] <= 4, "random attempts: " + triedBefore[0]);
        assertTrue(stage.core.lifeCycle.isTerminated());
    }

    private static void assertUniform(int[] drawn) {
        final int expected = DRAWS / drawn.length;
        for (int count : drawn) {
            assertEquals(expected, count, expected / 10.0, "draws of one");
        }
    }

    private static void finish(Stage stage) {
        stage.drain();
        stage.assertAllDone();
    }
}
