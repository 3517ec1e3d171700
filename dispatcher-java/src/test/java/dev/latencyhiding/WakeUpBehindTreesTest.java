package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A tree of {@code invoke}s is one long node, inside which a worker looks for nothing else. If all workers are in
 * such nodes a spare one sees to the wake-ups: without it these tests would wait for ever, for the trees end last.
 */
@Timeout(180)
class WakeUpBehindTreesTest {
    private static final int PARALLELISM = 2;

    private LatencyHidingScheduler scheduler;
    private final AtomicBoolean end = new AtomicBoolean();

    /** On every worker a node that computes by fork-join until the end. */
    private void startTrees(Policy policy) {
        scheduler = LatencyHidingScheduler.builder()
                .policy(policy)
                .parallelism(PARALLELISM)
                .build();
        final CountDownLatch began = new CountDownLatch(PARALLELISM);
        for (int i = 0; i < PARALLELISM; i++) {
            scheduler.execute(() -> {
                began.countDown();
                while (!end.get()) {
                    ForkJoinTrees.sum(scheduler, 256);
                }
            });
        }
        Await.latch(began);
    }

    @AfterEach
    void close() {
        end.set(true);
        Await.until("the spare worker retires", () -> scheduler.stats().workers() == PARALLELISM);
        scheduler.close();
        SchedulerInspector.assertQuiescent(scheduler);
    }

    @ParameterizedTest
    @EnumSource
    void resumedNodes_whileAllWorkersAreInTrees_start(Policy policy) {
        startTrees(policy);
        for (int i = 0; i < 10; i++) {
            final CountDownLatch started = new CountDownLatch(1);
            scheduler.executeResumed(started::countDown);
            Await.latch(started);
        }
        assertFalse(end.get());
    }

    @ParameterizedTest
    @EnumSource(names = {"PROWS_R", "LHWS"}) // under CLASSIC the worker itself waits
    void ticker_whileAllWorkersAreInTrees_goesOn(Policy policy) {
        startTrees(policy);
        final CountDownLatch ticks = new CountDownLatch(20);
        // Not from here: a timer that fires before thenRunAsync makes an arrival, and arrivals wait for the trees.
        scheduler.executeResumed(() -> tick(ticks));
        Await.latch(ticks);
        assertFalse(end.get());
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the latch tells
    private void tick(CountDownLatch ticks) {
        scheduler.delay(1, TimeUnit.MILLISECONDS).thenRunAsync(() -> {
            ticks.countDown();
            if (ticks.getCount() > 0) {
                tick(ticks);
            }
        });
    }
}
