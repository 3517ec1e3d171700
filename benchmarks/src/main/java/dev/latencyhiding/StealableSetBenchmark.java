package dev.latencyhiding;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The set of stealable deques: what a suspension and a steal pay. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class StealableSetBenchmark {
    private static final int DEQUES = 1000;

    private final StealableSet set = new StealableSet(0);
    private final ProwsDeque deque = new ProwsDeque();
    private final XorShift random = new XorShift(1);

    /** Fills the set. */
    @Setup
    public void fill() {
        for (int i = 0; i < DEQUES; i++) {
            set.add(new ProwsDeque());
        }
    }

    /**
     * A deque is listed and taken out again.
     *
     * @return the set it was in
     */
    @Benchmark
    public @Nullable Object addAndRemove() {
        set.add(deque);
        return StealableSet.remove(deque);
    }

    /**
     * A thief chooses one of a thousand.
     *
     * @return the choice
     */
    @Benchmark
    public @Nullable Object chooseRandom() {
        return set.chooseRandom(random);
    }
}
