package dev.latencyhiding.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latencyhiding.benchmarks.workloads.Sample;
import dev.latencyhiding.benchmarks.workloads.Scale;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** Starts real JVMs. */
final class ChildTest {
    @Test
    void run_answersWithSamples() {
        try (Child child = start("Default", null, Duration.ofMinutes(1))) {
            child.warm("fib", 0, 1);
            child.settle("fib", 0, 1, 2);

            List<Sample> samples = child.run("fib", 0);

            assertEquals(1, samples.size());
            assertEquals(Sample.TIME, samples.get(0).metric());
            assertTrue(samples.get(0).value() > 0);
        }
    }

    @Test
    void run_severalWorkloads_inOneJvm() {
        try (Child child = start("Default", null, Duration.ofMinutes(1))) {
            assertEquals(Sample.TIME, child.run("yield", 0).get(0).metric());
            assertEquals("heap", child.run("memory", 0).get(0).metric());
            assertEquals(Sample.TIME, child.run("yield", 0).get(0).metric());
        }
    }

    @Test
    void run_failingWorkload_reportsTheTrace() {
        try (Child child = start("Extra", Direct.class.getName(), Duration.ofMinutes(1))) {
            ChildFailure failure = assertThrows(ChildFailure.class, () -> child.run("fib", 99));

            assertTrue(failure.getMessage().contains("IndexOutOfBoundsException"), failure.getMessage());
            assertTrue(failure.childLives());
        }
    }

    @Test
    void run_thatHangs_isEndedWithADumpOfTheThreads() {
        try (Child child = start("Extra", Losing.class.getName(), Duration.ofSeconds(1))) {
            ChildFailure failure = assertThrows(ChildFailure.class, () -> child.run("fib", 0));

            assertTrue(failure.getMessage().contains("Not finished after 1 s: RUN fib 0"), failure.getMessage());
            assertTrue(failure.getMessage().contains("\"main\""), failure.getMessage());
            assertTrue(failure.getMessage().contains("exit status " + Watchdog.EXIT_STATUS), failure.getMessage());
            assertFalse(failure.childLives());
        }
    }

    @Test
    void start_unknownClass_reportsWhatTheChildSaid() {
        ChildFailure failure =
                assertThrows(ChildFailure.class, () -> start("Extra", "no.such.Class", Duration.ofMinutes(1)));

        assertTrue(failure.getMessage().contains("There is no class no.such.Class"), failure.getMessage());
    }

    @Test
    void crash_isReportedWithTheOutput() {
        try (Child child = Child.start(javaCommand(Crashing.class))) {
            ChildFailure failure = assertThrows(ChildFailure.class, () -> child.run("fib", 0));

            assertTrue(failure.getMessage().contains("exit status 7"), failure.getMessage());
            assertTrue(failure.getMessage().contains("last words"), failure.getMessage());
            assertFalse(failure.childLives());
        }
    }

    private static Child start(String dispatcher, String className, Duration limit) {
        ChildSpec spec = new ChildSpec(Scale.TINY, dispatcher, className, 2, limit, null);
        return Child.start(spec, List.of(), List.of());
    }

    private static List<String> javaCommand(Class<?> main) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                main.getName());
    }

    /** Runs everything on the calling thread. */
    public static final class Direct implements Executor {
        @Override
        public void execute(Runnable task) {
            task.run();
        }
    }

    /** Loses everything. */
    public static final class Losing implements Executor {
        @Override
        public void execute(Runnable task) {}
    }

    /** A child that ends in the middle of a run. */
    static final class Crashing {
        private Crashing() {}

        public static void main(String[] args) throws IOException {
            System.out.println(Wire.encode(Wire.READY));
            System.out.flush();
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            System.err.println("last words");
            System.exit(7);
        }
    }
}
