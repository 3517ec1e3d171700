package dev.latencyhiding.benchmarks;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * Where and when a run was made. Figures of different environments must not be compared.
 *
 * @param time when the run began, in ISO 8601
 * @param jvm name and version of the Java virtual machine
 * @param system operating system and architecture
 * @param processors number of processors that the JVM sees
 * @param parallelism number of workers of each dispatcher
 * @param command the command line
 * @param coreNanos how long a cache line took to another processor and back, in nanoseconds; null if nobody looked
 * @param roundsInJvm how many rounds in a row were made in the same JVM: so many samples of a measurement belong together
 */
public record Environment(
        String time,
        String jvm,
        String system,
        int processors,
        int parallelism,
        String command,
        @Nullable Double coreNanos,
        int roundsInJvm) {
    /**
     * This machine, now, as seen by a sub-command.
     *
     * @param parallelism number of workers of each dispatcher
     * @param command the sub-command that runs
     * @return the environment
     */
    public static Environment here(int parallelism, CommandLine command) {
        final List<String> words = new ArrayList<>(command.getParseResult().originalArgs());
        if (command.getParent() == null) {
            words.add(0, command.getCommandName());
        }
        return here(parallelism, String.join(" ", words));
    }

    /**
     * This machine, now.
     *
     * @param parallelism number of workers of each dispatcher
     * @param command the command line
     * @return the environment
     */
    public static Environment here(int parallelism, String command) {
        return new Environment(
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                System.getProperty("os.name") + " " + System.getProperty("os.arch"),
                Runtime.getRuntime().availableProcessors(),
                parallelism,
                command,
                null,
                1);
    }

    /**
     * The same with the distance of its processors.
     *
     * @param nanos how long a cache line takes to another processor and back; null if there is no other
     * @return the environment
     */
    public Environment withCoreNanos(@Nullable Double nanos) {
        return new Environment(time, jvm, system, processors, parallelism, command, nanos, roundsInJvm);
    }

    /**
     * The same with the number of rounds in each JVM.
     *
     * @param rounds how many
     * @return the environment
     */
    public Environment withRoundsInJvm(int rounds) {
        return new Environment(time, jvm, system, processors, parallelism, command, coreNanos, rounds);
    }
}
