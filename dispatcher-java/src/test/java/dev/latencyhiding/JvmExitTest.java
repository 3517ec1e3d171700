package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What can only be seen in a JVM of its own: the system properties that the shared scheduler reads once,
 * and which threads keep a JVM alive.
 */
@Timeout(180)
class JvmExitTest {
    // ---- the properties ----

    @Test
    void shared_withProperty_hasThatManyWorkers() throws Exception {
        assertEquals(
                List.of("LatencyHiding, parallelism 3", "ran"),
                outputOf("shared", "-Ddev.latencyhiding.parallelism= 3 "));
    }

    @Test
    void shared_withoutProperty_hasOneWorkerPerProcessor() throws Exception {
        assertEquals(List.of("LatencyHiding, parallelism 2", "ran"), outputOf("shared", "-XX:ActiveProcessorCount=2"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"many", "", "3.5", "99999999999", "0", "-1", "4097"})
    void shared_withGarbage_saysWhichPropertyAndValue(String value) throws Exception {
        final List<String> output = outputOf("shared", "-Ddev.latencyhiding.parallelism=" + value);
        assertEquals(1, output.size(), output.toString());
        assertTrue(
                output.get(0).startsWith("java.lang.IllegalArgumentException: ")
                        && output.get(0).contains(LatencyHidingScheduler.PARALLELISM_PROPERTY)
                        && output.get(0).contains("from 1 to " + LatencyHidingScheduler.MAX_PARALLELISM)
                        && output.get(0).endsWith(": " + value),
                output.toString());
    }

    @Test
    void shared_withName_isCalledSo() throws Exception {
        assertEquals(
                List.of("crawler, parallelism 2", "ran"),
                outputOf("shared", "-Ddev.latencyhiding.name=crawler", "-Ddev.latencyhiding.parallelism=2"));
    }

    @Test
    void shared_withBlankName_saysWhichProperty() throws Exception {
        assertEquals(
                List.of("java.lang.IllegalArgumentException: system property " + LatencyHidingScheduler.NAME_PROPERTY
                        + " must not be blank"),
                outputOf("shared", "-Ddev.latencyhiding.name= "));
    }

    // ---- the end of the JVM ----

    @Test
    void jvm_withIdleDaemonWorkers_exits() throws Exception {
        assertEquals(List.of("ran"), outputOf("daemon"));
    }

    @Test
    void jvm_withIdleUserThreads_livesUntilClose() throws Exception {
        final Process process = start("user");
        try {
            final BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
            assertEquals("main has ended", output.readLine());
            // The JVM would need a moment to exit, so give it one.
            assertFalse(process.waitFor(1, TimeUnit.SECONDS), "it must stay alive");
            process.outputWriter(StandardCharsets.UTF_8).append("close\n").flush();
            assertTrue(process.waitFor(Await.DEADLINE_SECONDS, TimeUnit.SECONDS), "it must exit after close");
            assertEquals(0, process.exitValue());
        } finally {
            process.destroyForcibly();
        }
    }

    private static List<String> outputOf(String program, String... options) throws Exception {
        final Process process = start(program, options);
        try {
            final List<String> lines =
                    process.inputReader(StandardCharsets.UTF_8).lines().toList();
            assertTrue(process.waitFor(Await.DEADLINE_SECONDS, TimeUnit.SECONDS), "the JVM must exit");
            return lines;
        } finally {
            process.destroyForcibly();
        }
    }

    private static Process start(String program, String... options) throws IOException {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(Arrays.asList(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Program.class.getName(), program));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    /** What runs in the other JVM. */
    static final class Program {
        private Program() {}

        public static void main(String[] args) throws Exception {
            switch (args[0]) {
                case "shared" -> shared();
                case "daemon" -> runOne(LatencyHidingScheduler.builder().build());
                case "user" -> user();
                default -> throw new IllegalArgumentException(args[0]);
            }
        }

        private static void shared() throws Exception {
            final LatencyHidingScheduler shared;
            try {
                shared = LatencyHidingScheduler.shared();
            } catch (Throwable error) { // also an error, so that the test sees which
                System.out.println(error);
                return;
            }
            System.out.println(shared.name() + ", parallelism " + shared.parallelism());
            runOne(shared);
        }

        private static void runOne(LatencyHidingScheduler scheduler) throws Exception {
            final CountDownLatch ran = new CountDownLatch(1);
            scheduler.execute(ran::countDown);
            ran.await();
            System.out.println("ran");
        }

        private static void user() {
            final LatencyHidingScheduler scheduler =
                    LatencyHidingScheduler.builder().daemon(false).build();
            final Thread main = Thread.currentThread();
            Await.thread(() -> {
                try {
                    main.join();
                    System.out.println("main has ended");
                    System.in.read();
                    scheduler.close();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
        }
    }
}
