package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node that is alone in a worker's deque: left to a worker that takes it quickly itself, stolen from any other. */
@Timeout(120)
class LoneNodeTest {
    private static final int NODES = 1_000_000;

    /** Its owner takes the only node and adds another between any two looks. */
    private static final class BusyDeque extends ProwsDeque {
        private long index;

        @Override
        long onlyIndex() {
            return index++;
        }
    }

    private final Stage stage = new Stage(2);
    private final Stage.Actor owner = stage.actor(0);
    private final Thief thief = stage.actor(1).thief;

    private Runnable stealFrom(ProwsDeque deque, int nodes) {
        owner.worker.setActive(deque);
        for (int i = 0; i < nodes; i++) {
            owner.worker.push(stage.node());
        }
        return thief.sweep();
    }

    @Test
    void sweep_ownerTakesItself_leavesNode() {
        assertNull(stealFrom(new BusyDeque(), 1));
        assertTrue(thief.leftNodesToOwners());
        assertFalse(thief.leftNodesToOwners(), "asked once for each search");
    }

    @Test
    void sweep_ownerDoesNotTake_steals() {
        assertTrue(stealFrom(new ProwsDeque(), 1) instanceof Stage.Node);
        assertFalse(thief.leftNodesToOwners());
    }

    @Test
    void sweep_severalNodes_stealsAtOnce() {
        assertTrue(stealFrom(new ProwsDeque(), 2) instanceof Stage.Node);
        assertFalse(thief.leftNodesToOwners());
    }

    /** Nobody else would see to it soon. */
    @Test
    void sweep_resumedNode_steals() {
        final ProwsDeque deque = new BusyDeque();
        owner.worker.setActive(deque);
        deque.openSuspension();
        final Suspension suspension = Suspension.bound(stage.core, deque);
        final Stage.Node node = stage.node();
        suspension.resume(node);
        assertSame(node, thief.sweep());
    }

    /** Each node hands in the next one. */
    private static final class Chain implements Runnable {
        private final LatencyHidingScheduler scheduler;
        private final Runnable last;
        private int left = NODES;

        Chain(LatencyHidingScheduler scheduler, Runnable last) {
            this.scheduler = scheduler;
            this.last = last;
        }

        @Override
        public void run() {
            if (--left > 0) {
                scheduler.execute(this);
            } else {
                last.run();
            }
        }
    }

    /** The other worker naps at that time, and must look again by itself. */
    @Test
    void loneNode_ofWorkerThatIsNotQuickAnyMore_isStolen() throws Exception {
        try (LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
                .parallelism(2)
                .maxSpareWorkers(0)
                .build()) {
            final CompletableFuture<Boolean> stolen = new CompletableFuture<>();
            scheduler.execute(new Chain(scheduler, () -> {
                final CountDownLatch child = new CountDownLatch(1);
                scheduler.execute(child::countDown);
                stolen.complete(spinUntilOpen(child));
            }));
            assertTrue(stolen.get(60, TimeUnit.SECONDS), "nobody took the node of a worker that spins");
        }
    }

    private static boolean spinUntilOpen(CountDownLatch latch) {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (latch.getCount() > 0 && System.nanoTime() - deadline < 0) {
            Thread.onSpinWait();
        }
        return latch.getCount() == 0;
    }
}
