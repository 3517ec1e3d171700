package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a wake-up has enabled runs right after it, once, before other wake-ups. The order on one worker. */
@Timeout(120)
class FollowUpTest {
    private final LatencyHidingScheduler scheduler =
            LatencyHidingScheduler.builder().parallelism(1).maxSpareWorkers(0).build();

    private final List<String> order = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        scheduler.close();
        assertEquals(0, scheduler.stats().nodesFailed());
        SchedulerInspector.assertQuiescent(scheduler);
    }

    /** Fails without Turns.takeFollowUp: all wake-ups come first. */
    @Test
    void nodeThatAWakeUpEnables_runsBeforeTheNextWakeUp() {
        final List<Suspension> open = suspensions(20);
        final CountDownLatch resumed = occupyWorker();
        for (int i = 0; i < open.size(); i++) {
            final int number = i;
            open.get(i).resume(() -> {
                order.add("wake-up " + number);
                scheduler.execute(() -> order.add("follow-up " + number));
            });
        }
        resumed.countDown();

        final List<String> expected = new ArrayList<>();
        for (int i = 0; i < open.size(); i++) {
            expected.add("wake-up " + i);
            expected.add("follow-up " + i);
        }
        assertOrder(expected);
    }

    /** Else a wake-up that begins a tree of nodes would hold up all others. */
    @Test
    void furtherNodes_runAfterTheOtherWakeUps() {
        final List<Suspension> open = suspensions(2);
        final CountDownLatch resumed = occupyWorker();
        open.get(0).resume(() -> {
            order.add("first");
            scheduler.execute(() -> order.add("older child"));
            scheduler.execute(() -> {
                order.add("child");
                scheduler.execute(() -> order.add("grandchild"));
            });
        });
        open.get(1).resume(() -> order.add("second"));
        resumed.countDown();

        assertOrder(List.of("first", "child", "second", "grandchild", "older child"));
    }

    /** Fails without the look at the bottom of the deque. */
    @Test
    void nodesThatWereInTheDequeBefore_areNoFollowUps() {
        final List<Suspension> open = new CopyOnWriteArrayList<>();
        final CountDownLatch resumed = new CountDownLatch(1);
        final CountDownLatch occupied = new CountDownLatch(1);
        open.addAll(suspensions(1));
        scheduler.execute(() -> {
            scheduler.execute(() -> {
                occupied.countDown();
                Await.latch(resumed);
            });
            scheduler.execute(() -> order.add("older"));
            open.add(Suspension.open());
        });
        Await.latch(occupied); // the deque with the older node is suspended, and its oldest node runs
        open.get(1).resume(() -> order.add("first"));
        open.get(0).resume(() -> order.add("second"));
        resumed.countDown();

        assertOrder(List.of("first", "second", "older"));
    }

    /** So many nodes that wait, each for itself. */
    private List<Suspension> suspensions(int count) {
        final List<Suspension> open = new CopyOnWriteArrayList<>();
        for (int i = 0; i < count; i++) {
            scheduler.execute(() -> open.add(Suspension.open()));
        }
        Await.until("all wait", () -> scheduler.stats().suspendedDeques() == count);
        return open;
    }

    /** Returns when the worker waits for the latch. */
    private CountDownLatch occupyWorker() {
        final CountDownLatch occupied = new CountDownLatch(1);
        final CountDownLatch end = new CountDownLatch(1);
        scheduler.execute(() -> {
            occupied.countDown();
            Await.latch(end);
        });
        Await.latch(occupied);
        return end;
    }

    private void assertOrder(List<String> expected) {
        Await.until("all ran", () -> order.size() == expected.size());
        assertEquals(expected, order);
    }
}
