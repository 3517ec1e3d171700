package dev.latencyhiding.benchmarks.jmh;

import dev.latencyhiding.LatencyHidingScheduler;
import dev.latencyhiding.Suspension;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The scheduler's operations through its public API, on one worker: nobody steals. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SchedulerBenchmark {
    private static final int BATCH = 10_000;

    private final LatencyHidingScheduler scheduler =
            LatencyHidingScheduler.builder().parallelism(1).build();

    /** Ends the worker. */
    @TearDown
    public void close() {
        scheduler.close();
    }

    /**
     * Nodes that are forked by a node, and run.
     *
     * @throws InterruptedException if interrupted
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void executeFromInside() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(BATCH);
        scheduler.execute(() -> {
            for (int i = 0; i < BATCH; i++) {
                scheduler.execute(done::countDown);
            }
        });
        done.await();
    }

    /**
     * Nodes that come from another thread, and run.
     *
     * @throws InterruptedException if interrupted
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void executeFromOutside() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(BATCH);
        for (int i = 0; i < BATCH; i++) {
            scheduler.execute(done::countDown);
        }
        done.await();
    }

    /**
     * A chain of nodes, each of which suspends and is resumed before it returns.
     *
     * @throws InterruptedException if interrupted
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void suspendAndResumeEarly() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        scheduler.execute(() -> suspend(BATCH, done));
        done.await();
    }

    private static void suspend(int left, CountDownLatch done) {
        if (left == 0) {
            done.countDown();
        } else {
            Suspension suspension = Suspension.open();
            suspension.resume(() -> suspend(left - 1, done));
        }
    }

    /**
     * A node suspends, and this thread resumes it: two changes of threads.
     *
     * @throws InterruptedException if interrupted
     */
    @Benchmark
    public void resumeFromAnotherThread() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        CompletableFuture<Suspension> suspended = new CompletableFuture<>();
        scheduler.execute(() -> suspended.complete(Suspension.open()));
        suspended.join().resume(done::countDown);
        done.await();
    }
}
