package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.peers.ExtraDispatcher;
import dev.latencyhiding.benchmarks.peers.Peer;
import dev.latencyhiding.benchmarks.peers.PeerSpec;
import dev.latencyhiding.benchmarks.peers.Peers;
import dev.latencyhiding.benchmarks.workloads.Case;
import dev.latencyhiding.benchmarks.workloads.Sample;
import dev.latencyhiding.benchmarks.workloads.Scale;
import dev.latencyhiding.benchmarks.workloads.Workloads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM with one dispatcher, which runs cases of workloads when it is told to. */
final class ChildMain {
    private static final int SHORTEST_ROUND_MILLIS = 200;
    private static final int SHORTEST_QUICK_ROUND_MILLIS = 40;

    /** A step in which the compilers were busy for a smaller part of its time is the last one. */
    private static final double LITTLE_TO_COMPILE = 0.1;

    private final Scale scale;
    private final Peer peer;
    private final boolean isBound;
    private final Watchdog watchdog;
    private final FlameGraph flame;
    private final PrintStream out;
    private String workload = "";
    private List<Case> cases = List.of(); // of that workload

    private ChildMain(ChildSpec spec, PrintStream out) {
        this.out = out;
        scale = spec.scale();
        String className = spec.dispatcherClass();
        PeerSpec peerSpec =
                className == null ? Peers.named(spec.dispatcher()) : ExtraDispatcher.of(spec.dispatcher(), className);
        isBound = peerSpec.role() == PeerSpec.Role.BOUND;
        peer = peerSpec.start(spec.parallelism());
        watchdog = new Watchdog(spec.limit());
        flame = FlameGraph.writingTo(spec.flame());
    }

    /**
     * Serves the parent until standard input ends.
     *
     * @param args a {@link ChildSpec}
     */
    public static void main(String[] args) throws IOException {
        // What a workload prints must not be taken for an answer.
        PrintStream out = System.out;
        System.setOut(System.err);
        new ChildMain(ChildSpec.ofArguments(args), out).serve();
        System.exit(0); // whatever threads a dispatcher leaves behind
    }

    private void serve() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        send(Wire.READY);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            List<String> command = Wire.decode(line);
            if (command == null) {
                throw new IllegalArgumentException("Not a command: " + line);
            }
            obey(command);
        }
        flame.close();
    }

    // Whatever goes wrong in a workload is the parent's to report.
    @SuppressWarnings("CatchingUnchecked")
    private void obey(List<String> command) {
        watchdog.arm(String.join(" ", command));
        try {
            Case program = caseOf(command.get(1), Integer.parseInt(command.get(2)));
            switch (command.get(0)) {
                case Wire.WARM -> warm(program, Long.parseLong(command.get(3)));
                case Wire.SETTLE -> settle(program, Long.parseLong(command.get(3)), Long.parseLong(command.get(4)));
                case Wire.RUN -> run(program);
                case Wire.PROFILE -> profile(program, Long.parseLong(command.get(3)));
                default -> throw new IllegalArgumentException("Unknown command " + command);
            }
            send(Wire.DONE);
        } catch (Exception | LinkageError | OutOfMemoryError | StackOverflowError e) {
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            send(Wire.FAILED, trace.toString());
        } finally {
            watchdog.disarm();
        }
    }

    /** Only the cases of one workload are kept: some are large. */
    private Case caseOf(String name, int index) {
        if (!name.equals(workload)) {
            cases = Workloads.named(name).cases(scale);
            workload = name;
        }
        return cases.get(index);
    }

    private void warm(Case program, long millis) throws Exception {
        if (isBound) {
            program.bound(peer.parallelism());
        } else {
            program.warmUp(peer, millis);
        }
    }

    private void settle(Case program, long stepMillis, long mostMillis) throws Exception {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(mostMillis);
        long now = System.nanoTime();
        boolean isCompiled = false;
        while (!isCompiled && now - end < 0) {
            long begun = now;
            long compiledBefore = compileMillis();
            warm(program, stepMillis);
            QuietJvm.await();
            long compiled = TimeUnit.MILLISECONDS.toNanos(compileMillis() - compiledBefore);
            now = System.nanoTime();
            isCompiled = compiled < LITTLE_TO_COMPILE * (now - begun);
        }
    }

    private static long compileMillis() {
        return ManagementFactory.getCompilationMXBean().getTotalCompilationTime();
    }

    private void run(Case program) throws Exception {
        System.gc(); // so that each round begins with the same heap
        flame.resume();
        List<Sample> samples;
        try {
            samples = Round.of(
                    () -> isBound ? program.bound(peer.parallelism()) : program.run(peer),
                    scale.pick(0, SHORTEST_QUICK_ROUND_MILLIS, SHORTEST_ROUND_MILLIS));
        } finally {
            flame.pause();
        }
        for (Sample sample : samples) {
            send(Wire.SAMPLE, sample.metric(), sample.unit(), sample.better().name(), Double.toString(sample.value()));
        }
    }

    private void profile(Case program, long millis) throws Exception {
        System.gc();
        ProfiledRuns runs = ProfiledRuns.of(() -> program.run(peer), millis);
        runs.parts().forEach((part, used) -> send(Wire.PART, part.name(), Double.toString(used)));
        runs.hottest().forEach(method -> send(Wire.METHOD, method.name(), Double.toString(method.millis())));
    }

    private void send(String... fields) {
        out.println(Wire.encode(fields));
        out.flush();
    }
}
