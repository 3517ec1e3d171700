package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Work that is handed in while the scheduler closes. Each node is either refused with an exception or
 * run exactly once: a node that is neither would be lost without a trace.
 */
@Timeout(300)
@ParameterizedClass
@EnumSource
class LifeCycleRaceTest {
    private static final int THREADS = 4;
    private static final int NODES_PER_THREAD = 50;
    private static final int NODES = THREADS * NODES_PER_THREAD;

    private final AtomicIntegerArray runs = new AtomicIntegerArray(NODES);
    private final AtomicIntegerArray accepted = new AtomicIntegerArray(NODES);

    @Parameter
    Policy policy;

    private int rounds() {
        return policy == Policy.PROWS_R ? Await.scaled(300, 10_000) : Await.scaled(100, 5_000);
    }

    @Test
    void execute_racingClose_runsOnceOrThrows() {
        for (int round = 0; round < rounds(); round++) {
            final LatencyHidingScheduler scheduler = newScheduler(round);
            race(scheduler, number -> scheduler.execute(() -> runs.incrementAndGet(number)), scheduler::close);
        }
    }

    @Test
    void executeFairly_racingShutdownNow_runsOnceOrThrows() {
        for (int round = 0; round < rounds(); round++) {
            final LatencyHidingScheduler scheduler = newScheduler(round);
            race(
                    scheduler,
                    number -> scheduler.executeFairly(() -> runs.incrementAndGet(number)),
                    scheduler::shutdownNow);
        }
    }

    @Test
    void resume_racingShutdownNow_runsOnceOrThrows() throws Exception {
        for (int round = 0; round < rounds(); round++) {
            final LatencyHidingScheduler scheduler = newScheduler(round);
            final List<Suspension> open = openAll(scheduler);
            race(
                    scheduler,
                    number -> open.get(number).resume(() -> runs.incrementAndGet(number)),
                    scheduler::shutdownNow);
        }
    }

    @Test
    void resume_racingClose_alwaysRuns() throws Exception {
        for (int round = 0; round < rounds(); round++) {
            final LatencyHidingScheduler scheduler = newScheduler(round);
            final List<Suspension> open = openAll(scheduler);
            race(scheduler, number -> open.get(number).resume(() -> runs.incrementAndGet(number)), scheduler::close);
            for (int i = 0; i < NODES; i++) {
                assertEquals(1, accepted.get(i), "close waits for open suspensions: none is refused");
            }
        }
    }

    @RepeatedTest(3)
    void release_racingResumeAndClose_endsEachOnce() throws Exception {
        for (int round = 0; round < rounds() / 3; round++) {
            final LatencyHidingScheduler scheduler = newScheduler(round);
            final List<Suspension> open = openAll(scheduler);
            final Thread releaser = Await.thread(() -> open.forEach(Suspension::release));
            race(
                    scheduler,
                    number -> {
                        if (!open.get(number).resume(() -> runs.incrementAndGet(number))) {
                            throw new RejectedExecutionException("was released");
                        }
                    },
                    scheduler::close);
            Await.ended(releaser);
            SchedulerInspector.assertQuiescent(scheduler);
        }
    }

    private LatencyHidingScheduler newScheduler(int round) {
        return LatencyHidingScheduler.builder()
                .name(Await.uniqueName("race"))
                .parallelism(1 + round % 4)
                .policy(policy)
                .build();
    }

    /** Suspensions of all kinds: several of one node, on a deque with nodes left, and detached. */
    private List<Suspension> openAll(LatencyHidingScheduler scheduler) throws Exception {
        final List<Suspension> all = new ArrayList<>();
        if (policy == Policy.CLASSIC) {
            return openOnOneWorker(scheduler);
        }
        for (int i = 0; i < NODES / 4; i++) {
            all.addAll(Await.onWorker(scheduler, () -> {
                scheduler.execute(() -> {});
                return List.of(Suspension.open(), Suspension.open());
            }));
            all.add(Await.onWorker(scheduler, Suspension::open));
            all.add(Suspension.open(scheduler));
        }
        return all;
    }

    /** A blocked worker opens no more of them: half are of one node, the others detached. */
    private static List<Suspension> openOnOneWorker(LatencyHidingScheduler scheduler) throws Exception {
        final List<Suspension> all = new ArrayList<>();
        while (all.size() < NODES / 2) {
            all.add(Suspension.open(scheduler));
        }
        all.addAll(Await.onWorker(
                scheduler,
                () -> Stream.generate(Suspension::open).limit(NODES / 2).toList()));
        return all;
    }

    private void race(LatencyHidingScheduler scheduler, Consumer<Integer> handIn, Runnable end) {
        for (int i = 0; i < NODES; i++) {
            runs.set(i, 0);
            accepted.set(i, 0);
        }
        final CountDownLatch go = new CountDownLatch(1);
        final List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            final int first = t * NODES_PER_THREAD;
            threads.add(Await.thread(() -> {
                Await.latch(go);
                for (int i = first; i < first + NODES_PER_THREAD; i++) {
                    handInOne(handIn, i);
                }
            }));
        }
        go.countDown();
        end.run();
        threads.forEach(Await::ended);
        Await.until("termination of " + scheduler.stats(), scheduler::isTerminated);
        for (int i = 0; i < NODES; i++) {
            assertEquals(accepted.get(i), runs.get(i), "node " + i);
        }
    }

    private void handInOne(Consumer<Integer> handIn, int number) {
        try {
            handIn.accept(number);
            accepted.set(number, 1);
        } catch (RejectedExecutionException refused) {
            accepted.set(number, 0);
        }
    }
}
