package dev.latencyhiding.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Samples the measured rounds, and writes one flame graph of all of them. */
final class FlameGraph implements AutoCloseable {
    private final @Nullable Path file;
    private @Nullable String settings; // null until it has started

    private FlameGraph(@Nullable Path file) {
        this.file = file;
    }

    static FlameGraph writingTo(@Nullable Path file) {
        return new FlameGraph(file);
    }

    void resume() {
        if (file == null) {
            return;
        }
        if (settings == null) {
            settings = Sampling.start("interval=1ms");
        } else {
            Sampling.execute("resume," + settings);
        }
    }

    void pause() {
        if (file != null && settings != null) {
            Sampling.execute("stop");
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null && settings != null) {
            Path parent = file.toAbsolutePath().getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            Sampling.execute("dump,flamegraph,file=" + file);
        }
    }
}
