package dev.latencyhiding;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The deque alone, without contention: what each fork pays at least. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class WorkDequeBenchmark {
    private final WorkDeque deque = new WorkDeque();
    private final Runnable node = WorkDequeBenchmark::nothing;

    /**
     * The owner pushes a node and takes it back.
     *
     * @return the node
     */
    @Benchmark
    public @Nullable Runnable pushAndPop() {
        deque.pushBottom(node);
        return deque.popBottom();
    }

    /**
     * A node is pushed and stolen, by the same thread.
     *
     * @return the node
     */
    @Benchmark
    public @Nullable Runnable pushAndSteal() {
        deque.pushBottom(node);
        return deque.popTop();
    }

    private static void nothing() {}
}
