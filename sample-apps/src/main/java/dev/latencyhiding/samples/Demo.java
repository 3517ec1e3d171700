package dev.latencyhiding.samples;

import static dev.latencyhiding.coroutines.LatencyHidingKt.asCoroutineDispatcher;

import dev.latencyhiding.LatencyHidingScheduler;
import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import kotlinx.coroutines.Dispatchers;

/**
 * The program behind {@code mvn -q -Pdemo}. It fetches documents from a local server that takes its time, parses
 * each, computes something from it and reduces the results. The same on a pool whose threads wait for the answers,
 * on {@code Dispatchers.Default} and on the scheduler, with as many threads. Beside it a heart wants to beat every
 * {@value Progress#BEAT_MILLIS} ms, on the same threads.
 */
public final class Demo {
    private static final String HELP = """
            Fetches, parses, computes and reduces, on three schedulers, and shows how they do.

              --documents N   how many, 200 for each processor by default
              --latency MS    how long the server takes for each, 20 ms by default
              --report FILE   where to write the report, demo.html by default
              --help          prints this""";

    private Demo() {}

    /** What can be chosen. */
    record Options(int documents, int latencyMillis, Path report, boolean terminal) {}

    /**
     * Prints the report to standard output, and writes it to a file.
     *
     * @param args see {@code --help}
     * @throws IOException if the local server cannot be started
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        final Arguments arguments = new Arguments(HELP, args);
        if (arguments.help(System.out)) {
            return;
        }
        final Options options = new Options(
                arguments.number("--documents", 200 * processors(), 1, 1_000_000),
                arguments.number("--latency", 20, 0, 60_000),
                Path.of(arguments.text("--report", "demo.html")),
                isTerminal());
        arguments.requireNoOthers();
        run(new PrintStream(System.out, false, StandardCharsets.UTF_8), options);
    }

    static List<Progress.Outcome> run(PrintStream out, Options options) throws IOException, InterruptedException {
        final int threads = processors();
        out.printf("%d documents, %d ms away each, on %d threads%n", options.documents, options.latencyMillis, threads);
        final List<Progress.Outcome> outcomes = new ArrayList<>();
        try (SlowServer server = new SlowServer(options.latencyMillis);
                LatencyHidingScheduler scheduler = LatencyHidingScheduler.builder()
                        .name("demo")
                        .parallelism(threads)
                        .build()) {
            final Runs runs = new Runs(out, options.terminal, HttpClient.newHttpClient(), server.uri(), threads);
            runs.warmUp(scheduler);
            outcomes.add(runs.onBlockingPool(options.documents));
            outcomes.add(runs.onDefault(options.documents));
            outcomes.add(runs.onLatencyHiding(options.documents, scheduler));
            printTable(out, outcomes);
            out.printf("%n%s%n", scheduler.stats());
        }
        out.printf("%nThe report is in %s%n", DemoReport.write(options.report, outcomes));
        out.flush();
        return outcomes;
    }

    private static void printTable(PrintStream out, List<Progress.Outcome> outcomes) {
        out.printf("%n  %-20s %9s %16s %15s   %s%n", "", "time", "heartbeats", "latest beat", "result");
        for (final Progress.Outcome outcome : outcomes) {
            out.printf(
                    Locale.ROOT,
                    "  %-20s %6d ms %7d of %5d %9d ms late   %d%n",
                    outcome.name(),
                    outcome.millis(),
                    outcome.beats(),
                    outcome.wantedBeats(),
                    outcome.latestBeatMillis(),
                    outcome.result());
        }
    }

    /** The three ways to run the program. */
    private record Runs(PrintStream out, boolean terminal, HttpClient client, URI server, int threads) {
        /** Loads classes and compiles the loops, with fewer documents and for all alike. */
        void warmUp(LatencyHidingScheduler scheduler) throws InterruptedException {
            final int few = 20 * threads;
            final Progress unseen = new Progress("warm-up", few, null);
            BlockingProgram.run(client, server, few, threads, unseen);
            CoroutineProgram.run(client, server, few, Dispatchers.getDefault(), unseen);
            CoroutineProgram.run(client, server, few, asCoroutineDispatcher(scheduler), unseen);
        }

        Progress.Outcome onBlockingPool(int documents) throws InterruptedException {
            return watched(
                    new Progress("blocking pool", documents, null),
                    progress -> BlockingProgram.run(client, server, documents, threads, progress));
        }

        Progress.Outcome onDefault(int documents) throws InterruptedException {
            return watched(
                    new Progress("Dispatchers.Default", documents, null),
                    progress -> CoroutineProgram.run(client, server, documents, Dispatchers.getDefault(), progress));
        }

        Progress.Outcome onLatencyHiding(int documents, LatencyHidingScheduler scheduler) throws InterruptedException {
            return watched(
                    new Progress("LatencyHiding", documents, scheduler),
                    progress -> CoroutineProgram.run(
                            client, server, documents, asCoroutineDispatcher(scheduler), progress));
        }

        private Progress.Outcome watched(Progress progress, Program program) throws InterruptedException {
            final LiveView view = new LiveView(out, terminal, progress);
            try {
                return progress.end(program.run(progress));
            } finally {
                view.close();
            }
        }
    }

    /** Gives the sum of the results. */
    @FunctionalInterface
    private interface Program {
        long run(Progress progress) throws InterruptedException;
    }

    private static int processors() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** Since JDK 22 there is a console also if output goes to a file; it can be asked. */
    @SuppressWarnings("SystemConsoleNull") // both kinds of JDK are dealt with
    private static boolean isTerminal() {
        final Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException e) {
            return true;
        } catch (IllegalAccessException | InvocationTargetException e) {
            return false;
        }
    }
}
