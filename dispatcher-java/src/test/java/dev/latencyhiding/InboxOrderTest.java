package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Several suspensions on one deque: nodes start about in the order in which they came back, within the
 * bound of {@link Turns}. Otherwise an operation that completes at once, again and again, would overtake
 * all others on its deque for ever.
 */
@Timeout(180)
class InboxOrderTest {
    private final LatencyHidingScheduler scheduler =
            LatencyHidingScheduler.builder().parallelism(1).maxSpareWorkers(0).build();
    private final AtomicBoolean end = new AtomicBoolean();
    private final AtomicInteger started = new AtomicInteger();
    private volatile boolean published;

    @AfterEach
    void close() {
        end.set(true);
        scheduler.close();
        SchedulerInspector.assertQuiescent(scheduler);
    }

    @Test
    void resumedNodes_ofOneDeque_startWithinBound() throws Exception {
        final List<Integer> order = new CopyOnWriteArrayList<>();
        final List<Suspension> open = Await.onWorker(scheduler, () -> {
            final List<Suspension> opened = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                opened.add(Suspension.open());
            }
            return opened;
        });
        final CountDownLatch resumed = new CountDownLatch(1);
        scheduler.execute(() -> Await.latch(resumed));
        for (int i = 0; i < 50; i++) {
            final int number = i;
            open.get(i).resume(() -> order.add(number));
        }
        resumed.countDown();
        Await.until("all ran", () -> order.size() == 50);
        for (int m = 0; m < 50; m++) {
            final int before = order.indexOf(m);
            assertTrue(
                    before <= m + m / Turns.MAX_WAKE_STREAK + 2, before + " nodes before number " + m + ": " + order);
        }
    }

    @Test
    void resumedNode_whileItsDequeCompletesEarly_startsWithinBound() {
        final AtomicReference<Suspension> slow = new AtomicReference<>();
        final AtomicInteger before = new AtomicInteger();
        final CountDownLatch ran = new CountDownLatch(1);
        scheduler.execute(() -> {
            slow.set(Suspension.open());
            completeEarly();
        });
        Await.until("it runs", () -> scheduler.stats().nodesRun() > 20);
        slow.get().resume(() -> {
            before.set(started.get());
            ran.countDown();
        });
        published = true;
        Await.latch(ran);
        assertTrue(before.get() <= 2, before + " nodes before it");
    }

    private void completeEarly() {
        if (published) {
            started.incrementAndGet();
        }
        if (!end.get()) {
            Suspension.open().resume(this::completeEarly);
        }
    }
}
