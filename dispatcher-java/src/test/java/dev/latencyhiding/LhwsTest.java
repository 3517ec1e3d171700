package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * What is special to latency-hiding work stealing, step by step on workers without threads. Each comment
 * names a line that must be broken to see the test fail.
 */
class LhwsTest {
    private static final int DRAWS = 40_000;

    private final SchedulerCore core =
            new SchedulerCore(new SchedulerConfig("stage", 2, Policy.LHWS, 0, true, null, 1, MonitorGate::new));
    private final Lhws lhws = (Lhws) core.algorithm();
    private final LhwsWorker worker = newWorker(1);
    private final LhwsWorker other = newWorker(2);
    private final List<String> order = new ArrayList<>();

    private LhwsWorker newWorker(int id) {
        final LhwsWorker made = lhws.newWorker(id, id, new MonitorGate(), false);
        core.workers.add(made);
        return made;
    }

    private Runnable step(String name) {
        return () -> order.add(name);
    }

    /** Runs a node that opens so many suspensions. */
    private List<Suspension> open(LhwsWorker worker, int count) {
        final List<Suspension> opened = new ArrayList<>();
        worker.execute(() -> {
            for (int i = 0; i < count; i++) {
                opened.add(worker.openSuspension());
            }
        });
        return opened;
    }

    /** As the loop does, until there is nothing left but to steal. */
    private void drain(LhwsWorker worker) {
        for (Runnable node; (node = worker.next()) != null; ) {
            worker.execute(node);
        }
    }

    private long count(Counter counter) {
        return core.sum(counter);
    }

    // ---- blocking ----

    /** Fails if LhwsWorker.endNode leaves the active deque. */
    @Test
    void block_withNodesLeft_goesOnWithItsDeque() {
        worker.execute(() -> {
            worker.push(step("older"));
            worker.push(step("younger"));
            worker.openSuspension();
        });
        final ProwsDeque deque = worker.active();
        worker.execute(worker.next());
        assertSame(deque, worker.active());
        assertEquals(List.of("younger"), order);
        worker.execute(worker.next());
        assertEquals(List.of("younger", "older"), order);
        assertEquals(1, deque.openSuspensions());
        assertSame(DequeState.ACTIVE, deque.state());
    }

    /** Fails if LhwsWorker.takeReady does not leave an empty deque to which nodes will come back. */
    @Test
    void emptyDeque_withOpenSuspensions_isSuspendedAndKept() {
        final Suspension suspension = open(worker, 2).get(0);
        final ProwsDeque deque = suspension.deque;
        assertEquals(2, deque.openSuspensions());
        assertNull(worker.next());
        assertNull(worker.active());
        assertSame(DequeState.SUSPENDED, deque.state());
        assertEquals(1, count(Counter.SUSPENDED_DEQUES));
        assertTrue(deque.inStealableSet(), "thieves choose among suspended ones, too");
    }

    // ---- resuming ----

    /** Fails if LhwsWorker.inject takes one node at a time. */
    @Test
    void resumedNodes_ofOneDeque_areInjectedAsOneTree() {
        final List<Suspension> opened = open(worker, 5);
        assertNull(worker.next());
        opened.forEach(suspension -> suspension.resume(step("resumed")));
        final Runnable tree = worker.next();
        assertEquals(5, ((ResumedVertices) tree).size());
        assertSame(opened.get(0).deque, worker.active(), "the deque they left");
        assertEquals(0, worker.active().openSuspensions());
        assertEquals(5, count(Counter.WAKE_UPS));
    }

    /** Right child, resumed vertices, left child. Fails if LhwsWorker.next adds the resumed ones first. */
    @Test
    void resumedNode_duringNodeWithChildren_runsAfterTheLeftChild() {
        final Suspension suspension = open(worker, 1).get(0);
        worker.execute(() -> {
            worker.push(step("right"));
            worker.push(step("left"));
            suspension.resume(step("resumed"));
        });
        drain(worker);
        assertEquals(List.of("left", "resumed", "right"), order);
    }

    /** Without children there is no left one. Fails if hasLeft is always true. */
    @Test
    void resumedNode_duringNodeWithoutChildren_runsNext() {
        final Suspension suspension = open(worker, 1).get(0);
        worker.execute(() -> worker.push(step("older")));
        worker.push(step("oldest")); // as if both were there before
        worker.execute(() -> suspension.resume(step("resumed")));
        drain(worker);
        assertEquals(List.of("resumed", "oldest", "older"), order);
    }

    /** Fails if LhwsWorker.addResumedVertices does not make the deque ready. */
    @Test
    void resumedNode_whileOnAnotherDeque_waitsAsReadyDeque() {
        final Suspension suspension = open(worker, 1).get(0);
        assertNull(worker.next());
        worker.execute(() -> worker.push(step("own")));
        final ProwsDeque own = worker.active();
        suspension.resume(step("resumed"));
        worker.execute(worker.next());
        assertSame(own, worker.active());
        assertEquals(1, count(Counter.RESUMABLE_DEQUES), "ready");
        assertNotNull(lookNext());
        assertSame(suspension.deque, worker.active());
        assertEquals(List.of("own", "resumed"), order);
        assertEquals(0, count(Counter.RESUMABLE_DEQUES));
    }

    private Runnable lookNext() {
        final Runnable node = worker.next();
        if (node != null) {
            worker.execute(node);
        }
        return node;
    }

    /** Fails if LhwsWorker.sweep uses popTopOfArray. */
    @Test
    void resumedNode_ofBusyOwner_isFoundByOthers() {
        final Suspension suspension = open(worker, 1).get(0);
        suspension.resume(step("resumed"));
        assertTrue(core.hasWork());
        assertNull(other.stealOnce(), "not by a steal");
        final Runnable node = other.sweep();
        assertNotNull(node);
        assertFalse(core.hasWork());
        assertNull(worker.next());
        assertEquals(0, suspension.deque.openSuspensions());
    }

    // ---- freeing ----

    /** Fails if Lhws.release does not tell the owner. */
    @Test
    void release_ofLastSuspension_freesTheDeque() {
        final List<Suspension> opened = open(worker, 2);
        assertNull(worker.next());
        opened.get(0).release();
        assertFalse(worker.hasErrands());
        opened.get(1).release();
        assertTrue(worker.hasErrands(), "before it sleeps");
        assertNull(worker.next());
        assertEquals(0, lhws.deques.size());
        assertEquals(0, count(Counter.SUSPENDED_DEQUES) + count(Counter.RESUMABLE_DEQUES));
        worker.execute(() -> {});
        assertSame(opened.get(0).deque, worker.active(), "used again");
    }

    /** L3. Fails if LhwsWorker.addResumedVertices does not look at freed. */
    @Test
    void hint_forFreedDeque_isIgnored() {
        final Suspension suspension = open(worker, 1).get(0);
        assertNull(worker.next());
        suspension.release();
        assertNull(worker.next());
        lhws.tellOwner((LhwsDeque) suspension.deque);
        assertNull(worker.next());
        worker.execute(() -> worker.push(step("own")));
        lhws.tellOwner((LhwsDeque) suspension.deque);
        drain(worker);
        assertEquals(List.of("own"), order);
        assertEquals(1, lhws.deques.size());
    }

    /** Fails if LhwsWorker.leave frees without {@code open == 0}. */
    @Test
    void resumedNode_whileOthersAreOpen_suspendsTheDequeAgain() {
        final List<Suspension> opened = open(worker, 2);
        assertNull(worker.next());
        opened.get(0).resume(step("first"));
        drain(worker);
        assertSame(DequeState.SUSPENDED, opened.get(0).deque.state());
        opened.get(1).resume(step("second"));
        drain(worker);
        assertEquals(List.of("first", "second"), order);
        assertEquals(0, count(Counter.SUSPENDED_DEQUES));
    }

    // ---- stealing ----

    /** Fails if Lhws.deques holds active deques only. */
    @Test
    void victims_areAllDequesOfAllWorkers_eachAsOften() {
        final List<ProwsDeque> all = new ArrayList<>();
        for (LhwsWorker owner : List.of(worker, other)) {
            for (int i = 0; i < 3; i++) {
                all.add(open(owner, 1).get(0).deque);
                assertNull(owner.next());
            }
            owner.execute(() -> {});
            all.add(owner.active());
        }
        final Map<ProwsDeque, Integer> drawn = new HashMap<>();
        final XorShift random = new XorShift(7);
        for (int i = 0; i < DRAWS; i++) {
            drawn.merge(lhws.deques.chooseRandom(random), 1, Integer::sum);
        }
        final int expected = DRAWS / all.size();
        for (ProwsDeque deque : all) {
            assertEquals(expected, drawn.getOrDefault(deque, 0), expected / 10.0, "draws of one");
        }
        assertEquals(8, drawn.size());
    }

    /** Fails if LhwsWorker.stolen does not start a new deque. */
    @Test
    void steal_fromTheTop_startsANewDeque() {
        worker.execute(() -> {
            worker.push(step("oldest"));
            worker.push(step("younger"));
        });
        final Suspension waiting = open(other, 1).get(0);
        Runnable stolen = null;
        while (stolen == null) {
            stolen = other.stealOnce();
        }
        stolen.run();
        assertEquals(List.of("oldest"), order);
        assertNotSame(waiting.deque, other.active());
        assertSame(DequeState.SUSPENDED, waiting.deque.state());
        assertEquals(1, count(Counter.STEALS));
        assertTrue(count(Counter.STEALS_TRIED) >= 1);
    }

    // ---- retiring ----

    /** L1. Fails if LhwsWorker.addResumed does not look at retired. */
    @Test
    void resume_ofRetiredOwner_isAdopted() {
        final Suspension suspension = open(worker, 1).get(0);
        assertNull(worker.next());
        final Suspension ready = open(worker, 1).get(0);
        worker.execute(() -> worker.push(step("left behind")));
        ready.resume(step("ready"));
        worker.giveUpDeques();
        suspension.resume(step("late"));
        drain(other);
        assertEquals(3, order.size(), order.toString());
        assertTrue(order.containsAll(List.of("left behind", "ready", "late")), order.toString());
        assertSame(other, ((LhwsDeque) suspension.deque).owner());
        assertEquals(0, count(Counter.SUSPENDED_DEQUES) + count(Counter.RESUMABLE_DEQUES));
        assertEquals(1, lhws.deques.size());
    }

    // ---- fairness ----

    /** Fails without LhwsWorker.lookElsewhere. */
    @Test
    void outsideAndReadyDeques_besideEndlessSpawns_getTheirTurn() {
        final Runnable endless = new Runnable() {
            @Override
            public void run() {
                worker.push(this);
            }
        };
        final Suspension suspension = open(worker, 1).get(0);
        assertNull(worker.next());
        worker.execute(endless);
        suspension.resume(step("resumed"));
        core.publishArrival(step("outside"));
        for (int i = 0; i < 1000 && order.size() < 2; i++) {
            worker.execute(worker.next());
        }
        assertEquals(2, order.size(), order.toString());
    }
}
