package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.BarResult;
import dev.latencyhiding.benchmarks.Environment;
import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.OutputOptions;
import dev.latencyhiding.benchmarks.Progress;
import dev.latencyhiding.benchmarks.Results;
import dev.latencyhiding.benchmarks.peers.ExtraDispatcher;
import dev.latencyhiding.benchmarks.peers.PeerSpec;
import dev.latencyhiding.benchmarks.peers.PeerSpec.Role;
import dev.latencyhiding.benchmarks.peers.Peers;
import dev.latencyhiding.benchmarks.workloads.Workload;
import dev.latencyhiding.benchmarks.workloads.Workloads;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The sub-command {@code compare}. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description = {
            "Runs the same programs on this project's dispatcher and on all that one would use instead.",
            "",
            "Each dispatcher has JVMs of its own; only one is busy at a time, and in each round all take their turn, "
                    + "so that noise hits all alike. The values are medians of the rounds, the spread is half the "
                    + "distance between their quartiles, and a ratio is the median of the ratios round by round. "
                    + "Read ratios, not absolute values, and take what differs by less than the spread as equal.",
            ""
        },
        footer = {"", "Example: java -jar benchmarks.jar compare --quick --workloads fib,ticker"})
public final class CompareCommand implements Callable<Integer> {
    private static final int ROUNDS = 1;
    private static final int FLAME_ROUNDS = 2;

    @Spec
    private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

    @Option(
            names = {"-w", "--workloads"},
            split = ",",
            paramLabel = "NAME",
            description = "The workloads; all by default. See --list.")
    private List<String> workloads = List.of();

    @Option(
            names = {"-d", "--dispatchers"},
            split = ",",
            paramLabel = "NAME",
            description =
                    "The dispatchers. By default all that one would use instead, and where nothing waits, ours with "
                            + "classic work stealing. See --list.")
    private List<String> dispatchers = List.of();

    @Option(
            names = "--extra-dispatcher",
            paramLabel = "NAME=CLASS",
            description = "Adds a dispatcher: a CoroutineDispatcher, an Executor or a Supplier of one, with a public "
                    + "constructor that takes the number of workers or nothing.")
    private Map<String, String> extra = new LinkedHashMap<>();

    @Option(names = "--class-path", split = ":", paramLabel = "PATH", description = "Where to find such classes.")
    private List<Path> classPath = List.of();

    @Option(names = "--quick", description = "Smaller programs and fewer rounds: the whole suite within 5 minutes.")
    private boolean quick;

    @Option(names = "--tiny", hidden = true, description = "For tests: sizes at which nothing can be measured.")
    private boolean tiny;

    @Option(
            names = "--jvms",
            paramLabel = "N",
            description =
                    "How many JVMs each dispatcher has, one after the other: what the compiler makes of a program "
                            + "differs between them. Default: 3; with --quick as many of them as there is time for; 1 with --flame.")
    private int jvms;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How often each case is measured in each JVM; default: 1, or 2 with --flame.")
    private int rounds;

    @Option(names = "--parallelism", description = "Workers of each dispatcher; default: the number of processors.")
    private int parallelism = Runtime.getRuntime().availableProcessors();

    @Option(names = "--jvm", paramLabel = "OPTION", description = "An option for the JVMs; may be repeated.")
    private List<String> jvmOptions = List.of();

    @Option(
            names = "--limit",
            paramLabel = "SECONDS",
            description = "A run that takes longer is given up; default: ${DEFAULT-VALUE}.")
    private int limitSeconds = 120;

    @Option(
            names = "--flame",
            paramLabel = "FILE.html",
            description = "Write a flame graph of the measured rounds; workload and dispatcher are put into its name.")
    private @Nullable Path flame;

    @Option(
            names = "--no-profiles",
            description = "Do not profile the cases in which a bar was missed, to show where their time goes.")
    private boolean noProfiles;

    @Option(names = "--list", description = "List workloads and dispatchers, and end.")
    private boolean list;

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        if (list) {
            printList(out);
            return 0;
        }
        Plan plan = plan();
        Tables tables = new Tables(
                out,
                plan.peers().stream()
                        .filter(peer -> peer.role() != Role.REFERENCE)
                        .map(PeerSpec::name)
                        .toList(),
                plan.rounds());
        StolenTime stolen = new StolenTime();
        Results results = measure(plan, out, tables);
        stolen.share().ifPresent(tables::printStolen);
        tables.printDistance(results.environment().coreNanos(), CoreDistance.nanos());
        results.notes().forEach(note -> out.println("\n" + note));
        out.flush();
        output.write(results);
        return results.notes().isEmpty() ? 0 : 1;
    }

    private Plan plan() {
        requirePositive("--parallelism", parallelism);
        requirePositive("--limit", limitSeconds);
        int times = rounds == 0 ? (tiny || flame != null ? FLAME_ROUNDS : ROUNDS) : rounds;
        requirePositive("--rounds", times);
        Effort effort = tiny ? Effort.TINY : quick ? Effort.QUICK : Effort.FULL;
        int forks = jvms != 0 ? jvms : flame == null ? effort.jvms() : 1;
        requirePositive("--jvms", forks);
        List<PeerSpec> peers = new ArrayList<>(chosen(dispatchers, usual(), Peers::named));
        extra.forEach((name, className) -> peers.add(ExtraDispatcher.of(name, className)));
        List<PeerSpec> ifNothingWaits = dispatchers.isEmpty() ? List.of(Peers.named(Peers.CLASSIC)) : List.of();
        return new Plan(
                chosen(workloads, Workloads.all(), Workloads::named),
                peers,
                ifNothingWaits,
                forks,
                times,
                flame == null ? effort : effort.withoutSharedJvms());
    }

    /** Not the other policies of our scheduler: they are measured by {@code paper}. */
    private static List<PeerSpec> usual() {
        return Peers.known().stream()
                .filter(peer -> peer.role() != Role.VARIANT)
                .toList();
    }

    private void requirePositive(String option, int value) {
        if (value < 1) {
            throw new ParameterException(spec.commandLine(), option + " must be at least 1, but is " + value);
        }
    }

    private interface ByName<T> {
        T find(String name);
    }

    private <T> List<T> chosen(List<String> names, List<T> all, ByName<T> byName) {
        try {
            return names.isEmpty()
                    ? all
                    : names.stream().map(byName::find).distinct().toList();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private Results measure(Plan plan, PrintWriter out, Tables tables) {
        Environment environment = Environment.here(parallelism, spec.commandLine())
                .withCoreNanos(CoreDistance.nanos())
                .withRoundsInJvm(plan.rounds());
        out.println(environment.jvm() + ", " + environment.processors() + " processors, parallelism " + parallelism
                + ", JVMs " + (quick ? "up to " : "") + plan.jvms() + ", rounds in each " + plan.rounds());
        List<Measurement> measurements = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        ChildStarter starter = new ChildStarter(
                plan.effort().scale(),
                parallelism,
                Duration.ofSeconds(limitSeconds),
                extra,
                classPath,
                jvmOptions,
                profiling(),
                flame);
        long begun = System.nanoTime();
        try (Progress progress = Progress.of(plan.runs())) {
            Profiles profiles = new Profiles(plan, begun, progress::step);
            for (List<Workload> inSameJvm : plan.groups()) {
                List<Runner> runners = inSameJvm.stream()
                        .map(workload -> new Runner(workload, plan, begun, progress::step))
                        .toList();
                for (int jvm = 0; jvm < plan.jvms(); jvm++) {
                    try (Children children = new Children(peer -> starter.start(inSameJvm.get(0), peer))) {
                        for (int pass = 0; pass < plan.effort().warmUp().passes(); pass++) {
                            for (Runner runner : runners) {
                                runner.warmUp(jvm, children);
                            }
                        }
                        for (Runner runner : runners) {
                            runner.run(jvm, children);
                        }
                        if (profiling() && jvm == plan.jvms() - 1) {
                            profiles.take(Bars.missed(measurements(runners)), children);
                        }
                    }
                }
                tables.print(measurements(runners));
                measurements.addAll(measurements(runners));
                runners.forEach(runner -> notes.addAll(runner.notes()));
            }
            List<BarResult> bars = Bars.check(measurements);
            tables.printBars(bars);
            tables.printProfiles(profiles.found(), profiles.missing());
            return new Results(environment, measurements, bars, profiles.found(), notes);
        }
    }

    private boolean profiling() {
        return !noProfiles && flame == null;
    }

    private static List<Measurement> measurements(List<Runner> runners) {
        return runners.stream()
                .flatMap(runner -> runner.measurements().stream())
                .toList();
    }

    private static void printList(PrintWriter out) {
        out.println("Workloads");
        Workloads.all().forEach(workload -> out.printf("  %-16s %s%n", workload.name(), workload.shows()));
        out.println("\nDispatchers");
        Peers.known().forEach(peer -> out.printf("  %-16s %s%n", peer.name(), peer.description()));
        out.flush();
    }
}
