package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs the jcstress tests: what the fences and the CASes of the scheduler are there for, on real
 * hardware. Every test has a twin that lacks one of them and must be seen to fail; so a run that is
 * too short, or looks at nothing, fails as well. One launch for the tests and one for the twins,
 * because jcstress takes longer to start than to look.
 */
class FencesJcstressTest {
    private static final boolean LONG = "long".equals(System.getProperty("latencyhiding.stress"));

    /** A line of jcstress' result table with a forbidden outcome; the group is how often it was seen. */
    private static final Pattern FORBIDDEN = Pattern.compile("([\\d,]+)\\s+<?[\\d.]+%\\s+Forbidden");

    private static Launch actual;
    private static Launch broken;

    @BeforeAll
    static void launch(@TempDir Path directory) throws Exception {
        actual = Launch.of("Actual", directory);
        broken = Launch.of("Broken", directory);
    }

    @Test
    void allTests_ofTheScheduler_pass() {
        assertEquals(0, actual.exitCode, actual::output);
    }

    @Test
    void allTwins_together_fail() {
        assertNotEquals(0, broken.exitCode, broken::output);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                WorkDequeLastNodeJcstress.Actual.class,
                IdleWorkersSignalJcstress.Actual.class,
                EarlyCompletionJcstress.Actual.class,
                LeaveOrResumeJcstress.Actual.class,
                AdmissionJcstress.Actual.class,
                SettleOrSuspendJcstress.Actual.class
            })
    void test_ofTheScheduler_wasRunAndPassed(Class<?> test) {
        final String results = actual.resultsOf(test, "OK");

        assertEquals(0, forbidden(results), results);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                WorkDequeLastNodeJcstress.Broken.class,
                IdleWorkersSignalJcstress.Broken.class,
                EarlyCompletionJcstress.Broken.class,
                LeaveOrResumeJcstress.Broken.class,
                AdmissionJcstress.Broken.class,
                SettleOrSuspendJcstress.Broken.class
            })
    void twin_withoutTheFence_showsTheForbiddenOutcome(Class<?> twin) {
        final String results = broken.resultsOf(twin, "FAILED");

        assertTrue(forbidden(results) > 0, results);
    }

    private static long forbidden(String results) {
        long seen = 0;
        for (Matcher line = FORBIDDEN.matcher(results); line.find(); ) {
            seen += Long.parseLong(line.group(1).replace(",", ""));
        }
        return seen;
    }

    /** One run of jcstress that has ended. */
    private record Launch(int exitCode, String output) {
        static Launch of(String kind, Path directory) throws IOException, InterruptedException {
            final Path work = Files.createDirectory(directory.resolve(kind));
            final File output = work.resolve("output.txt").toFile();
            final Process process = new ProcessBuilder(command(kind, work))
                    .directory(work.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output)
                    .start();
            try {
                final boolean ended = process.waitFor(LONG ? 180 : 8, TimeUnit.MINUTES);
                final Launch launch = new Launch(ended ? process.exitValue() : -1, Files.readString(output.toPath()));
                assertTrue(ended, () -> "jcstress did not end: " + launch.output);
                return launch;
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }

        private static List<String> command(String kind, Path work) {
            final String java =
                    Path.of(System.getProperty("java.home"), "bin", "java").toString();
            final List<String> command = new ArrayList<>(List.of(
                    java,
                    "-Djava.io.tmpdir=" + work, // jcstress hands both to the JVMs it starts
                    "-Djna.tmpdir=" + work,
                    "-cp",
                    System.getProperty("java.class.path"),
                    "org.openjdk.jcstress.Main"));
            command.addAll(List.of("-v", "-sc", "false", "-af", "NONE", "-hs", "256", "-r", work + "/report"));
            command.addAll(List.of("-t", "dev\\.latencyhiding\\..*\\." + kind));
            if (LONG) {
                command.addAll(List.of("-m", "default"));
            } else {
                // One fork each; given JVM arguments keep jcstress from trying all compiler modes. Short
                // strides, or the objects of the scheduler, larger than those of the twins, miss the cache.
                command.addAll(List.of("-m", "quick", "-f", "1", "-strideSize", "20", "-strideCount", "20"));
                command.addAll(List.of("-iters", "5", "-time", kind.equals("Broken") ? "200" : "500"));
                command.addAll(List.of("-jvmArgs", "-Xms64m"));
            }
            return command;
        }

        /** All that was printed of one test, which must have been run and graded as expected. */
        String resultsOf(Class<?> test, String grade) {
            final String title = "[" + grade + "] " + test.getCanonicalName();
            final StringBuilder results = new StringBuilder();
            for (String part : output.split("\n\\.{3,} ", -1)) {
                if (part.startsWith(title)) {
                    results.append(part);
                }
            }
            assertTrue(results.length() > 0, () -> title + " is not in: " + output);
            return results.toString();
        }
    }
}
