package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a view promises beyond the JDK's executors; see {@link ScheduledExecutorContractTest}. */
@Timeout(120)
@SuppressWarnings("FutureReturnValueIgnored")
class ExecutorViewTest {
    private static final LatencyHidingScheduler SCHEDULER =
            LatencyHidingScheduler.builder().name("view").parallelism(2).build();

    private final List<ScheduledExecutorService> made = new ArrayList<>();

    private ScheduledExecutorService view() {
        final ScheduledExecutorService view = SCHEDULER.asExecutorService();
        made.add(view);
        return view;
    }

    @AfterEach
    void endAll() throws InterruptedException {
        for (ScheduledExecutorService view : made) {
            view.shutdownNow();
            assertTrue(view.awaitTermination(60, TimeUnit.SECONDS), view.toString());
        }
    }

    @AfterAll
    static void close() {
        SCHEDULER.close();
    }

    /** The JDK's may drop a task that races with shutdown, without a word; ours refuses it. */
    @Test
    void manyTasksRacingWithShutdown_runOrAreRefused() throws Exception {
        for (int round = 0; round < Await.scaled(10, 500); round++) {
            final ScheduledExecutorService executor = view();
            final AtomicInteger ran = new AtomicInteger();
            final AtomicInteger accepted = new AtomicInteger();
            final List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                threads.add(Await.thread(() -> {
                    try {
                        for (int task = 0; task < 500; task++) {
                            if (task % 3 == 0) {
                                executor.schedule(ran::incrementAndGet, task, TimeUnit.MICROSECONDS);
                            } else {
                                executor.execute(ran::incrementAndGet);
                            }
                            accepted.incrementAndGet();
                        }
                    } catch (RejectedExecutionException shutDown) {
                        assertTrue(executor.isShutdown());
                    }
                }));
            }
            Await.until("some", () -> ran.get() > 300);
            executor.shutdown();
            threads.forEach(Await::ended);
            assertTrue(executor.awaitTermination(60, TimeUnit.SECONDS), executor.toString());
            assertEquals(accepted.get(), ran.get());
        }
    }

    @Test
    void onAClosedScheduler_refuses_andCancelsWhatIsDelayed() throws Exception {
        final LatencyHidingScheduler scheduler =
                LatencyHidingScheduler.builder().parallelism(1).build();
        final ScheduledExecutorService view = scheduler.asExecutorService();
        final ScheduledFuture<?> delayed = view.schedule(() -> {}, 1, TimeUnit.HOURS);
        final ScheduledFuture<?> periodic = view.scheduleAtFixedRate(() -> {}, 0, 1, TimeUnit.MILLISECONDS);
        scheduler.close();
        assertThrows(CancellationException.class, () -> delayed.get(60, TimeUnit.SECONDS));
        assertThrows(CancellationException.class, () -> periodic.get(60, TimeUnit.SECONDS));
        assertThrows(RejectedExecutionException.class, () -> view.execute(() -> {}));
        assertThrows(RejectedExecutionException.class, () -> view.schedule(() -> {}, 1, TimeUnit.SECONDS));
        view.shutdown();
        assertTrue(view.awaitTermination(60, TimeUnit.SECONDS));
    }

    @Test
    void exceptionOfExecutedTask_goesToTheHandler() {
        final List<Throwable> seen = Collections.synchronizedList(new ArrayList<>());
        final LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
                .parallelism(1)
                .uncaughtExceptionHandler((thread, error) -> seen.add(error))
                .build();
        final ScheduledExecutorService view = scheduler.asExecutorService();
        view.execute(() -> {
            throw new IllegalStateException("task");
        });
        scheduler.close();
        assertEquals(1, seen.size());
        assertInstanceOf(IllegalStateException.class, seen.get(0));
        view.shutdown();
        assertTrue(view.isTerminated());
    }

    @Test
    void scheduledTask_runsAsAWakeUpOnAWorker() throws Exception {
        final ScheduledExecutorService view = view();
        final long before = SCHEDULER.stats().wakeUps();
        final Thread thread =
                view.schedule(Thread::currentThread, 1, TimeUnit.MILLISECONDS).get();
        assertInstanceOf(WorkerThread.class, thread);
        Await.until("counted", () -> SCHEDULER.stats().wakeUps() > before);
    }
}
