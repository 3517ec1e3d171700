package dev.latencyhiding;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The timer's data structure: a timeout that is set and withdrawn, as most timeouts are, among 10,000 others. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TimerWheelBenchmark {
    private static final int OTHERS = 10_000;
    private static final int SPAN = 1 << 16;

    private final TimerWheel wheel = new TimerWheel(0);
    private final XorShift random = new XorShift(1);
    private final Timeout timeout = new Nothing();

    /** Fills the wheel. */
    @Setup
    public void fill() {
        for (int i = 0; i < OTHERS; i++) {
            Timeout other = new Nothing();
            other.setTick(1 + random.nextInt(SPAN));
            wheel.insert(other);
        }
    }

    /**
     * Set and withdrawn.
     *
     * @return true
     */
    @Benchmark
    public boolean insertAndRemove() {
        timeout.setTick(1 + random.nextInt(SPAN));
        wheel.insert(timeout);
        return wheel.remove(timeout);
    }

    private static final class Nothing extends Timeout {
        @Override
        protected void fire() {}
    }
}
