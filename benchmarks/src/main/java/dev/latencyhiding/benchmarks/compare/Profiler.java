package dev.latencyhiding.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import one.profiler.AsyncProfiler;
import org.jspecify.annotations.Nullable;

/** Samples the measured rounds with async-profiler, and writes one flame graph of all of them. */
final class Profiler implements AutoCloseable {
    /** How the message of the failure begins if there is no profiler for this machine. */
    static final String UNAVAILABLE = "Cannot profile here: ";

    /** The kernel's clock shows its own frames, too, but not everybody is allowed to use it. */
    private static final List<String> EVENTS = List.of("cpu", "itimer");

    private static final int FIRST_JDK_THAT_WARNS = 22;

    private final @Nullable Path file;
    private @Nullable String settings; // null until it has started

    private Profiler(@Nullable Path file) {
        this.file = file;
    }

    static Profiler writingTo(@Nullable Path file) {
        return new Profiler(file);
    }

    /** What a JVM that is to be profiled must be started with. */
    static List<String> jvmOptions() {
        // Without the debug information samples would be taken for the nearest safepoint.
        List<String> options = new ArrayList<>(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"));
        if (Runtime.version().feature() >= FIRST_JDK_THAT_WARNS) {
            options.add("--enable-native-access=ALL-UNNAMED");
        }
        return options;
    }

    void resume() {
        if (file == null) {
            return;
        }
        if (settings == null) {
            settings = start();
        } else {
            execute("resume," + settings);
        }
    }

    /** Returns the settings that work here. */
    private static String start() {
        RuntimeException failure = new IllegalStateException(UNAVAILABLE + EVENTS);
        for (String event : EVENTS) {
            String settings = "event=" + event + ",interval=1ms,threads";
            try {
                execute("start," + settings);
                return settings;
            } catch (IllegalStateException e) {
                failure.addSuppressed(e);
            }
        }
        throw failure;
    }

    void pause() {
        if (file != null && settings != null) {
            execute("stop");
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null && settings != null) {
            Path parent = file.toAbsolutePath().getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            execute("dump,flamegraph,file=" + file);
        }
    }

    private static void execute(String command) {
        try {
            AsyncProfiler.getInstance().execute(command);
        } catch (IOException | IllegalArgumentException | IllegalStateException | LinkageError e) {
            throw new IllegalStateException(UNAVAILABLE + command + ": " + e, e);
        }
    }
}
