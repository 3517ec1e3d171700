package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The public face of the scheduler: what the builder refuses, what threads look like, in which order
 * nodes run, and what the numbers say. Users rely on each of these without reading the code.
 */
@Timeout(120)
class LatencyHidingSchedulerTest {
    private static LatencyHidingScheduler oneWorker() {
        return LatencyHidingScheduler.builder()
                .parallelism(1)
                .maxSpareWorkers(0)
                .build();
    }

    private static void assertRefused(String parameter, String value, Executable call) {
        final String message =
                assertThrows(IllegalArgumentException.class, call).getMessage();
        assertTrue(message.contains(parameter) && message.contains(value), message);
    }

    // ---- the builder ----

    @ParameterizedTest
    @ValueSource(ints = {0, -1, LatencyHidingScheduler.MAX_PARALLELISM + 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void parallelism_outOfRange_isRefused(int parallelism) {
        assertRefused(
                "parallelism",
                Integer.toString(parallelism),
                () -> LatencyHidingScheduler.builder().parallelism(parallelism));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, LatencyHidingScheduler.MAX_PARALLELISM + 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void maxSpareWorkers_outOfRange_isRefused(int count) {
        assertRefused(
                "maxSpareWorkers",
                Integer.toString(count),
                () -> LatencyHidingScheduler.builder().maxSpareWorkers(count));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\n"})
    void name_blank_isRefused(String name) {
        assertRefused("name", name, () -> LatencyHidingScheduler.builder().name(name));
    }

    @Test
    void builder_nullValues_areRefused() {
        final LatencyHidingScheduler.Builder builder = LatencyHidingScheduler.builder();
        assertAll(
                () -> assertRefused("name", "null", () -> builder.name(null)),
                () -> assertRefused("policy", "null", () -> builder.policy(null)),
                () -> assertRefused("uncaughtExceptionHandler", "null", () -> builder.uncaughtExceptionHandler(null)));
    }

    @Test
    void builder_refusedValue_leavesItUsable() {
        final LatencyHidingScheduler.Builder builder =
                LatencyHidingScheduler.builder().parallelism(3);
        assertThrows(IllegalArgumentException.class, () -> builder.parallelism(0));
        try (LatencyHidingScheduler scheduler =
                builder.policy(Policy.PROWS_R).maxSpareWorkers(0).build()) {
            assertEquals(3, scheduler.parallelism());
        }
    }

    @Test
    void names_ofUnnamedSchedulers_differ() {
        try (LatencyHidingScheduler one = oneWorker();
                LatencyHidingScheduler two = oneWorker()) {
            assertNotEquals(one.name(), two.name());
        }
    }

    @Test
    void toString_namesSchedulerStateAndParallelism() {
        final LatencyHidingScheduler scheduler =
                LatencyHidingScheduler.builder().name("crawler").parallelism(2).build();
        try (scheduler) {
            assertEquals("crawler", scheduler.name());
            assertEquals(2, scheduler.parallelism());
            assertTrue(scheduler.toString().contains("\"crawler\"[running, parallelism=2]"), scheduler.toString());
        }
        assertTrue(scheduler.toString().contains("terminated"), scheduler.toString());
    }

    // ---- nodes ----

    @Test
    void null_asNode_isRefusedByName() {
        try (LatencyHidingScheduler scheduler = oneWorker()) {
            assertNamesNode(() -> scheduler.execute(null));
            assertNamesNode(() -> scheduler.executeFairly(null));
            assertThrows(NullPointerException.class, () -> scheduler.submit((Runnable) null));
            assertThrows(NullPointerException.class, () -> scheduler.awaitTermination(1, null));
        }
    }

    private static void assertNamesNode(Executable call) {
        assertEquals("node", assertThrows(NullPointerException.class, call).getMessage());
    }

    @Test
    void threads_areNamedDaemonsWithContextClassLoader() {
        final String name = Await.uniqueName("threads");
        final Set<String> names = ConcurrentHashMap.newKeySet();
        final Set<String> wrong = ConcurrentHashMap.newKeySet();
        final CountDownLatch allIn = new CountDownLatch(3);
        try (LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
                .name(name)
                .parallelism(3)
                .maxSpareWorkers(0)
                .build()) {
            for (int i = 0; i < 3; i++) {
                scheduler.execute(() -> {
                    final Thread thread = Thread.currentThread();
                    names.add(thread.getName());
                    if (!thread.isDaemon()
                            || thread.getContextClassLoader() != LatencyHidingScheduler.class.getClassLoader()) {
                        wrong.add(thread.toString());
                    }
                    allIn.countDown();
                    Await.latch(allIn); // so that each node has a worker of its own
                });
            }
        }
        assertEquals(
                new TreeSet<>(List.of(name + "-worker-1", name + "-worker-2", name + "-worker-3")),
                new TreeSet<>(names));
        assertEquals(Set.of(), wrong);
    }

    @Test
    void execute_onWorker_runsLastInFirstOut() {
        final List<Integer> order = new CopyOnWriteArrayList<>();
        try (LatencyHidingScheduler scheduler = oneWorker()) {
            scheduler.execute(() -> {
                for (int i = 0; i < 5; i++) {
                    final int number = i;
                    scheduler.execute(() -> order.add(number));
                }
            });
        }
        assertEquals(List.of(4, 3, 2, 1, 0), order);
    }

    @Test
    void execute_fromOutside_runsFirstInFirstOut() {
        final List<Integer> order = new CopyOnWriteArrayList<>();
        final CountDownLatch queued = new CountDownLatch(1);
        try (LatencyHidingScheduler scheduler = oneWorker()) {
            scheduler.execute(() -> Await.latch(queued));
            for (int i = 0; i < 5; i++) {
                final int number = i;
                scheduler.execute(() -> order.add(number));
            }
            queued.countDown();
        }
        assertEquals(List.of(0, 1, 2, 3, 4), order);
    }

    @Test
    void executeFairly_onWorker_takesTurnsWithWhatWaits() {
        final List<String> order = new CopyOnWriteArrayList<>();
        final CountDownLatch queued = new CountDownLatch(1);
        try (LatencyHidingScheduler scheduler = oneWorker()) {
            scheduler.execute(() -> {
                Await.latch(queued);
                scheduler.executeFairly(() -> order.add("fair 1"));
                scheduler.executeFairly(() -> order.add("fair 2"));
            });
            scheduler.execute(() -> order.add("waiting"));
            scheduler.executeFairly(() -> order.add("waiting too"));
            queued.countDown();
        }
        assertEquals(List.of("waiting", "fair 1", "waiting too", "fair 2"), order);
    }

    @Test
    void submit_returnsResultsAndFailures() throws Exception {
        try (LatencyHidingScheduler scheduler = oneWorker()) {
            assertEquals(42, scheduler.submit(() -> 42).get(60, TimeUnit.SECONDS));
            final Future<?> failing = scheduler.submit(() -> {
                throw new IllegalStateException("expected");
            });
            final ExecutionException failure =
                    assertThrows(ExecutionException.class, () -> failing.get(60, TimeUnit.SECONDS));
            assertEquals("expected", failure.getCause().getMessage());
            assertEquals(0, scheduler.stats().nodesFailed());
        }
    }

    @Test
    void invokeAll_fromOutsideAndFromWorker_returnsAllResults() throws Exception {
        final List<Callable<Integer>> bodies = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            final int number = i;
            bodies.add(() -> number);
        }
        try (LatencyHidingScheduler scheduler =
                LatencyHidingScheduler.builder().parallelism(2).build()) {
            assertEquals(4950, sum(scheduler.invokeAll(bodies)));
            assertEquals(4950, Await.onWorker(scheduler, () -> sum(scheduler.invokeAll(bodies))));
            assertTrue(scheduler.invokeAny(bodies) < 100);
        }
    }

    private static int sum(List<Future<Integer>> futures) throws Exception {
        int sum = 0;
        for (Future<Integer> future : futures) {
            sum += future.get();
        }
        return sum;
    }

    // ---- numbers ----

    @Test
    void stats_afterKnownRun_areExact() {
        final LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
                .name("known")
                .parallelism(1)
                .maxSpareWorkers(0)
                .uncaughtExceptionHandler((thread, error) -> {})
                .build();
        final List<Suspension> open = new CopyOnWriteArrayList<>();
        try (scheduler) {
            scheduler.execute(() -> {
                open.add(Suspension.open());
                open.add(Suspension.open());
                scheduler.execute(() -> {
                    throw new IllegalStateException("expected");
                });
            });
            Await.until("both ran", () -> scheduler.stats().nodesRun() == 2);
            Await.allAsleep(scheduler);
            assertEquals(1, scheduler.stats().suspendedDeques());
            assertEquals(2, scheduler.stats().openSuspensions());
            open.get(0).release();
            open.get(1).resume(() -> scheduler.execute(() -> {}));
        }
        assertStats(scheduler.stats());
    }

    private static void assertStats(SchedulerStats stats) {
        assertAll(
                stats.toString(),
                () -> assertEquals(1, stats.parallelism()),
                () -> assertEquals(1, stats.workers()),
                () -> assertEquals(4, stats.nodesRun()),
                () -> assertEquals(1, stats.nodesFailed()),
                () -> assertEquals(2, stats.suspensions()),
                () -> assertEquals(1, stats.resumes()),
                () -> assertEquals(1, stats.releases()),
                () -> assertEquals(0, stats.openSuspensions()),
                () -> assertEquals(1, stats.wakeUps()),
                () -> assertEquals(0, stats.earlyCompletions()),
                () -> assertEquals(0, stats.suspendedDeques() + stats.resumableDeques() + stats.muggableDeques()),
                () -> assertTrue(stats.parks() >= 2),
                () -> assertTrue(stats.steals() <= stats.stealsTried() + 1),
                () -> assertTrue(stats.toString().contains("4 run, 1 failed"), stats.toString()),
                () -> assertTrue(
                        stats.toString().contains("2 opened, 1 resumed, 1 released, 0 open"), stats.toString()),
                () -> assertTrue(stats.toString().startsWith("\"known\"["), stats.toString()));
    }

    @Test
    void stats_whileNothingRuns_staySame() {
        try (LatencyHidingScheduler scheduler = oneWorker()) {
            scheduler.execute(() -> {});
            Await.until("ran", () -> scheduler.stats().nodesRun() == 1);
            Await.allAsleep(scheduler);
            assertEquals(scheduler.stats().toString(), scheduler.stats().toString());
        }
    }

    // ---- the shared one ----

    @Test
    void shared_isOneInstanceThatCannotBeClosed() throws Exception {
        final LatencyHidingScheduler shared = LatencyHidingScheduler.shared();
        assertSame(shared, LatencyHidingScheduler.shared());
        for (Executable end : List.<Executable>of(shared::close, shared::shutdown, shared::shutdownNow)) {
            final String message =
                    assertThrows(UnsupportedOperationException.class, end).getMessage();
            assertTrue(message.contains("shared()"), message);
        }
        assertFalse(shared.isShutdown());
        assertEquals("LatencyHiding", shared.name());
        assertEquals(7, Await.onWorker(shared, () -> 7));
    }
}
