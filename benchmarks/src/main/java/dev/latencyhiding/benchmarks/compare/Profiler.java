package dev.latencyhiding.benchmarks.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import one.profiler.AsyncProfiler;
import org.jspecify.annotations.Nullable;

/** Samples the measured rounds, and writes one flame graph of all of them. */
final class Profiler implements AutoCloseable {
    private static final String START = "start,event=cpu,interval=1ms,threads";

    private final @Nullable Path file;
    private boolean started;

    private Profiler(@Nullable Path file) {
        this.file = file;
    }

    static Profiler writingTo(@Nullable Path file) {
        return new Profiler(file);
    }

    void resume() {
        if (file != null) {
            execute(started ? "resume" : START);
            started = true;
        }
    }

    void pause() {
        if (file != null) {
            execute("stop");
        }
    }

    @Override
    public void close() {
        if (file != null && started) {
            execute("dump,flamegraph,file=" + file);
        }
    }

    private static void execute(String command) {
        try {
            AsyncProfiler.getInstance().execute(command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
