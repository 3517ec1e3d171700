package dev.latencyhiding.benchmarks.compare;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import one.profiler.AsyncProfiler;

/** The commands of async-profiler, in this JVM. */
final class Sampling {
    /** How the message of the failure begins if there is no profiler for this machine. */
    static final String UNAVAILABLE = "Cannot profile here: ";

    /** The kernel's clock shows its own frames, too, but not everybody is allowed to use it. */
    private static final List<String> EVENTS = List.of("cpu", "itimer");

    private static final int FIRST_JDK_THAT_WARNS = 22;

    private Sampling() {}

    /** What a JVM that is to be profiled must be started with. */
    static List<String> jvmOptions() {
        // Without the debug information samples would be taken for the nearest safepoint.
        List<String> options = new ArrayList<>(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"));
        if (Runtime.version().feature() >= FIRST_JDK_THAT_WARNS) {
            options.add("--enable-native-access=ALL-UNNAMED");
        }
        return options;
    }

    /**
     * Begins to sample the stacks of all threads, by the best clock that works here.
     *
     * @param options such as the interval
     * @return the settings with which it goes on after a pause
     */
    static String start(String options) {
        RuntimeException failure = new IllegalStateException(UNAVAILABLE + EVENTS);
        for (String event : EVENTS) {
            String settings = "event=" + event + ",threads," + options;
            try {
                execute("start," + settings);
                return settings;
            } catch (IllegalStateException e) {
                failure.addSuppressed(e);
            }
        }
        throw failure;
    }

    static String execute(String command) {
        try {
            return AsyncProfiler.getInstance().execute(command);
        } catch (IOException | IllegalArgumentException | IllegalStateException | LinkageError e) {
            throw new IllegalStateException(UNAVAILABLE + command + ": " + e, e);
        }
    }
}
