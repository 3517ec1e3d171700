package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.Environment;
import dev.latencyhiding.benchmarks.Results;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The sub-command {@code agree}. */
@Command(
        name = "agree",
        mixinStandardHelpOptions = true,
        description = {
            "Tells whether two runs of compare agree on who wins.",
            "",
            "They disagree on a case if the winner of one run is behind the winner of the other by more than the "
                    + "margin there, and by more than the scatter from JVM to JVM explains (confidence 95 %%). "
                    + "Exit status 1 if they do.",
            ""
        },
        footer = {"", "Example: java -jar benchmarks.jar agree monday.json tuesday.json"})
public final class AgreeCommand implements Callable<Integer> {
    private static final double FARTHER = 1.5;

    @Spec
    private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

    @Parameters(index = "0", paramLabel = "FIRST", description = "What compare --json wrote.")
    private Path first = Path.of("");

    @Parameters(index = "1", paramLabel = "SECOND", description = "The same of another run.")
    private Path second = Path.of("");

    @Option(
            names = "--margin",
            paramLabel = "PERCENT",
            description = "What differs by less is taken as equal; default: ${DEFAULT-VALUE}.")
    private double percent = 100 * Contest.MARGIN;

    @Override
    public Integer call() {
        if (!(percent >= 0)) {
            throw new ParameterException(spec.commandLine(), "--margin must not be negative, but is " + percent);
        }
        PrintWriter out = spec.commandLine().getOut();
        Results one = read(first);
        Results other = read(second);
        warnIfElsewhere(one.environment(), other.environment(), out);
        int disagreements = compare(Contest.of(one), Contest.of(other), out);
        out.flush();
        return disagreements == 0 ? 0 : 1;
    }

    private Results read(Path file) {
        try {
            return Results.readJson(file);
        } catch (IOException e) {
            throw new ParameterException(
                    spec.commandLine(), "Cannot read results from " + file + ": " + e.getMessage(), e);
        }
    }

    private static void warnIfElsewhere(Environment one, Environment other, PrintWriter out) {
        if (!one.jvm().equals(other.jvm())
                || one.processors() != other.processors()
                || one.parallelism() != other.parallelism()
                || isFarther(one.coreNanos(), other.coreNanos())
                || isFarther(other.coreNanos(), one.coreNanos())) {
            out.println("The runs were made in different surroundings: " + one + " and " + other + "\n");
        }
    }

    /** A virtual machine that its host has moved is another machine. */
    private static boolean isFarther(@Nullable Double coreNanos, @Nullable Double otherNanos) {
        return coreNanos != null && otherNanos != null && coreNanos > FARTHER * otherNanos;
    }

    private int compare(Map<String, Contest> one, Map<String, Contest> other, PrintWriter out) {
        double margin = percent / 100;
        Map<String, Contest> both = new LinkedHashMap<>(one);
        both.keySet().retainAll(other.keySet());
        if (both.isEmpty()) {
            throw new ParameterException(spec.commandLine(), first + " and " + second + " have nothing in common");
        }
        int decided = 0;
        int level = 0;
        int disagreements = 0;
        for (Map.Entry<String, Contest> entry : both.entrySet()) {
            Contest before = entry.getValue();
            Contest after = other.get(entry.getKey());
            if (after != null && (before.isDecided(margin) || after.isDecided(margin))) {
                decided++;
                String winner = before.winner().dispatcher();
                String newWinner = after.winner().dispatcher();
                boolean same = winner.equals(newWinner);
                boolean agree = !before.trails(newWinner, margin) && !after.trails(winner, margin);
                level += agree && !same ? 1 : 0;
                disagreements += agree ? 0 : 1;
                out.printf(
                        Locale.ROOT,
                        "%-54s %-16s %-16s %s%n",
                        entry.getKey(),
                        winner,
                        newWinner,
                        same ? "" : agree ? "level" : "DISAGREE");
            }
        }
        out.printf(
                Locale.ROOT,
                "%n%d values are in both runs; %d of them differ by more than %.0f %%; the runs disagree on %d.%n"
                        + "Of those that differ, %d have the same winner, and %d two that neither run can tell apart.%n",
                both.size(),
                decided,
                percent,
                disagreements,
                decided - level - disagreements,
                level);
        int alone = one.size() + other.size() - 2 * both.size();
        if (alone > 0) {
            out.println(alone + " are in one run only.");
        }
        return disagreements;
    }
}
