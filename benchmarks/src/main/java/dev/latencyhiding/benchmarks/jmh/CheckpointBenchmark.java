package dev.latencyhiding.benchmarks.jmh;

import dev.latencyhiding.LatencyHidingScheduler;
import dev.latencyhiding.coroutines.LatencyHidingKt;
import java.util.concurrent.TimeUnit;
import kotlinx.coroutines.ExecutorCoroutineDispatcher;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** {@code checkpoint()} when nobody waits: at most 10 ns, so that a computing loop can afford it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CheckpointBenchmark {
    private static final int TIMES = 1_000_000;

    private final ExecutorCoroutineDispatcher dispatcher = LatencyHidingKt.asCoroutineDispatcher(
            LatencyHidingScheduler.builder().parallelism(1).build());

    /** Ends the worker. */
    @TearDown
    public void close() {
        dispatcher.close();
    }

    /**
     * One coroutine that does nothing else.
     *
     * @return the number of checkpoints
     */
    @Benchmark
    @OperationsPerInvocation(TIMES)
    public int nobodyWaits() {
        return CheckpointLoopKt.checkpoints(dispatcher, TIMES);
    }
}
