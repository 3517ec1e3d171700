package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A Java program that has the library and the JDK on its class path, and nothing else: no Kotlin, no annotations. */
@Timeout(180)
class PlainJavaTest {
    private static final String PROGRAM = """
            import dev.latencyhiding.*;
            import java.util.concurrent.*;

            class Program {
                public static void main(String[] args) throws Exception {
                    for (String absent : new String[] {"kotlin.Unit", "org.jspecify.annotations.Nullable"}) {
                        try {
                            Class.forName(absent);
                            System.out.println(absent + " is on the class path");
                        } catch (ClassNotFoundException expected) {
                        }
                    }
                    int[] results = new int[2];
                    try (LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder().parallelism(2).build()) {
                        scheduler.invoke(() -> results[0] = 1, () -> results[1] = 2);
                        scheduler.call(() -> results[0] + results[1])
                                .thenCombine(scheduler.delay(1, TimeUnit.MILLISECONDS), (sum, none) -> sum)
                                .thenAcceptAsync(sum -> System.out.println("sum " + sum));
                    }
                    ScheduledExecutorService pool = LatencyHidingScheduler.shared().asExecutorService();
                    System.out.println(pool.schedule(() -> "scheduled", 1, TimeUnit.MILLISECONDS).get());
                }
            }
            """;

    @Test
    void program_withTheLibraryAlone_compilesAndRuns(@TempDir Path folder) throws Exception {
        final Path source = Files.writeString(folder.resolve("Program.java"), PROGRAM);
        final Path library = Path.of(LatencyHidingScheduler.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        final String java =
                Path.of(System.getProperty("java.home"), "bin", "java").toString();
        final Process process = new ProcessBuilder(java, "-cp", library.toString(), source.toString())
                .redirectErrorStream(true)
                .start();
        try {
            final List<String> lines =
                    process.inputReader(StandardCharsets.UTF_8).lines().toList();
            assertTrue(process.waitFor(Await.DEADLINE_SECONDS, TimeUnit.SECONDS), "the JVM must exit");
            assertEquals(List.of("sum 3", "scheduled"), lines);
        } finally {
            process.destroyForcibly();
        }
    }
}
