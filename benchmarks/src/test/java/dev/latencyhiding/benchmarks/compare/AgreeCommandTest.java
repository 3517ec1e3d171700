package dev.latencyhiding.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latencyhiding.benchmarks.Better;
import dev.latencyhiding.benchmarks.Cli;
import dev.latencyhiding.benchmarks.Environment;
import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.ExitCode;

final class AgreeCommandTest {
    @TempDir
    private Path directory;

    private final Cli cli = new Cli();

    @Test
    void sameWinner_agrees() throws IOException {
        assertEquals(0, agree(times(100, 150), times(120, 500)));
        assertTrue(
                cli.toString().contains("1 of them differ by more than 10 %; the runs disagree on 0"), cli::toString);
    }

    @Test
    void anotherWinner_disagrees() throws IOException {
        assertEquals(1, agree(times(100, 150), times(150, 100)));
        assertTrue(cli.toString().contains("DISAGREE"), cli::toString);
    }

    /** That the other run is close does not help: one of them saw a difference. */
    @Test
    void anotherWinner_clearOnlyInOneRun_disagrees() throws IOException {
        assertEquals(1, agree(times(100, 150), times(103, 100)));
        assertEquals(1, agree(times(103, 100), times(100, 150)));
    }

    @Test
    void anotherWinner_byLessThanTheMargin_isNoDisagreement() throws IOException {
        assertEquals(0, agree(times(100, 105), times(105, 100)));
        assertTrue(cli.toString().contains("0 of them differ"), cli::toString);
        assertEquals(1, agree(times(100, 105), times(105, 100), "--margin", "2"));
    }

    /** What happens to all in the same round is no scatter: here the machine is slower and slower. */
    @Test
    void anotherWinner_inRoundsThatDiffer_disagrees() throws IOException {
        assertEquals(1, agree(times(100, 150, 0.3), times(150, 100, 0.3)));
    }

    @Test
    void anotherWinner_byLessThanTheScatter_isNoDisagreement() throws IOException {
        List<Measurement> first = List.of(time("A", 100, 160, 70), time("B", 160, 110, 210));
        List<Measurement> second = List.of(time("A", 160, 110, 210), time("B", 100, 160, 70));
        assertEquals(0, agree(first, second));
    }

    /** That others hardly scatter says nothing about these two. */
    @Test
    void anotherWinner_thatScattersMoreThanTheRest_isNoDisagreement() throws IOException {
        List<Measurement> first = new ArrayList<>(List.of(time("A", 100, 100), time("B", 130, 3000)));
        List<Measurement> second = new ArrayList<>(List.of(time("A", 130, 3000), time("B", 100, 100)));
        for (String other : List.of("C", "D", "E", "F", "G")) {
            first.add(time(other, 5000, 5000));
            second.add(time(other, 5000, 5000));
        }
        assertEquals(0, agree(first, second));
        assertTrue(cli.toString().contains("level"), cli::toString);
    }

    /** Two rounds of one JVM say no more than one: both have seen the same code of the compiler. */
    @Test
    void anotherWinner_inRoundsOfTheSameJvm_countsOnce() throws IOException {
        List<Measurement> first = List.of(time("A", 100, 100, 90, 90), time("B", 140, 140, 142, 142));
        List<Measurement> second = List.of(time("A", 120, 120, 120, 120), time("B", 119, 119, 119, 119));
        assertEquals(1, agree(first, second));
        Environment twoRounds = Environment.here(2, "compare").withRoundsInJvm(2);
        assertEquals(0, cli.run("agree", write("1.json", first, twoRounds), write("2.json", second, twoRounds)));
    }

    @Test
    void twoThatAreLevel_mayBothWin() throws IOException {
        Measurement far = time("C", 300, 303, 306);
        assertEquals(
                0,
                agree(
                        List.of(time("A", 100, 102, 104), time("B", 103, 101, 106), far),
                        List.of(time("A", 104, 102, 103), time("B", 100, 102, 101), far)));
        assertTrue(cli.toString().contains("0 have the same winner, and 1 two that"), cli::toString);
    }

    /** Such as one that is given up after its first JVM. */
    @Test
    void anotherWinner_thatHasFewerRounds_isComparedByThose() throws IOException {
        List<Measurement> first = List.of(time("A", 100, 101), time("C", 110, 111), time("B", 400, Double.NaN));
        assertEquals(1, agree(first, List.of(time("A", 110, 110), time("C", 120, 120), time("B", 100, 100))));
    }

    /** The only JVM of B may have been a bad one. */
    @Test
    void anotherWinner_thatHadOneJvmAndWasNotFarBehind_isNoDisagreement() throws IOException {
        List<Measurement> first = List.of(time("A", 100, 101), time("C", 110, 111), time("B", 160, Double.NaN));
        assertEquals(0, agree(first, List.of(time("A", 110, 110), time("C", 120, 120), time("B", 108, 108))));
    }

    /** When there was no time for the last JVM. */
    @Test
    void anotherWinner_whereNobodyHasTheLastRound_disagrees() throws IOException {
        List<Measurement> first = List.of(time("A", 100, 101, Double.NaN), time("B", 150, 151, Double.NaN));
        assertEquals(1, agree(first, times(150, 100)));
    }

    /** Better than nothing. */
    @Test
    void anotherWinner_inOneJvmOnly_isToldByItsRounds() throws IOException {
        List<Measurement> first = List.of(time("A", 100, 101), time("B", 150, 151));
        Environment twoRounds = Environment.here(2, "compare").withRoundsInJvm(2);
        assertEquals(1, cli.run("agree", write("1.json", first, twoRounds), write("2.json", times(150, 100))));
    }

    @Test
    void oneRoundOnly_tellsNothing() throws IOException {
        assertEquals(0, agree(List.of(time("A", 100), time("B", 900)), List.of(time("A", 900), time("B", 100))));
        assertTrue(cli.toString().contains("0 of them differ"), cli::toString);
    }

    @Test
    void nothingAtAll_isFarBehind() throws IOException {
        assertEquals(1, agree(ticks(100, 0), ticks(0, 100)));
    }

    @Test
    void whereMoreIsBetter_theHighestWins() throws IOException {
        assertEquals(0, agree(ticks(100, 150), ticks(60, 100)));
        assertEquals(1, agree(ticks(100, 150), ticks(100, 60)));
    }

    @Test
    void boundAndOtherPolicies_doNotCompete() throws IOException {
        List<Measurement> first = new ArrayList<>(times(100, 150));
        first.add(time("Bound", 50));
        first.add(time("LatencyHiding-CLASSIC", 40));
        List<Measurement> second = new ArrayList<>(times(100, 150));
        second.add(time("Bound", 90));

        assertEquals(0, agree(first, second));
        assertTrue(cli.toString().matches("(?s)fib: time +A +A .*"), cli::toString);
    }

    @Test
    void processorsAtAnotherDistance_areSurroundingsOfTheirOwn() throws IOException {
        assertEquals(0, cli.run("agree", write("1.json", times(1, 2), 300.0), write("2.json", times(1, 2), 290.0)));
        assertFalse(cli.toString().contains("different surroundings"), cli::toString);
        assertEquals(0, cli.run("agree", write("1.json", times(1, 2), 300.0), write("2.json", times(1, 2), 50.0)));
        assertTrue(cli.toString().contains("different surroundings"), cli::toString);
    }

    @Test
    void otherFiles_areRefused() throws IOException {
        Path file = Files.writeString(directory.resolve("x.json"), "{\"a\": 1}");
        assertEquals(ExitCode.USAGE, cli.run("agree", file.toString(), file.toString()));
        assertTrue(cli.errors().contains("Cannot read results from " + file), cli::toString);
        assertEquals(ExitCode.USAGE, agree(times(1, 2), List.of()));
        assertTrue(cli.errors().contains("have nothing in common"), cli::toString);
        assertEquals(ExitCode.USAGE, agree(times(1, 2), times(1, 2), "--margin", "-1"));
    }

    private int agree(List<Measurement> first, List<Measurement> second, String... options) throws IOException {
        List<String> args = new ArrayList<>(List.of("agree", write("1.json", first), write("2.json", second)));
        args.addAll(List.of(options));
        return cli.run(args.toArray(String[]::new));
    }

    private String write(String name, List<Measurement> measurements) throws IOException {
        return write(name, measurements, Environment.here(2, "compare"));
    }

    private String write(String name, List<Measurement> measurements, double coreNanos) throws IOException {
        return write(name, measurements, Environment.here(2, "compare").withCoreNanos(coreNanos));
    }

    private String write(String name, List<Measurement> measurements, Environment environment) throws IOException {
        Path file = directory.resolve(name);
        new Results(environment, measurements, List.of(), List.of()).writeJson(file);
        return file.toString();
    }

    private static List<Measurement> times(double a, double b) {
        return times(a, b, 0.01);
    }

    private static List<Measurement> times(double a, double b, double spread) {
        return List.of(time("A", around(a, spread)), time("B", around(b, spread)));
    }

    private static double[] around(double value, double spread) {
        return new double[] {value * (1 - spread), value, value * (1 + spread)};
    }

    private static List<Measurement> ticks(double a, double b) {
        return List.of(
                measurement("A", "ticks", Better.HIGHER, around(a, 0.01)),
                measurement("B", "ticks", Better.HIGHER, around(b, 0.01)));
    }

    private static Measurement time(String dispatcher, double... samples) {
        return measurement(dispatcher, "time", Better.LOWER, samples);
    }

    private static Measurement measurement(String dispatcher, String metric, Better better, double... samples) {
        return new Measurement(
                "fib",
                new TreeMap<>(),
                dispatcher,
                metric,
                "",
                better,
                Statistics.median(samples),
                Statistics.spread(samples),
                Arrays.stream(samples).boxed().toList(),
                null,
                null,
                null);
    }
}
