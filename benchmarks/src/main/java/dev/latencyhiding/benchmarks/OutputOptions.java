package dev.latencyhiding.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The files that every sub-command can write beside what it prints. */
public final class OutputOptions {
    @Option(names = "--json", paramLabel = "FILE", description = "Write all measurements to a JSON file.")
    private @Nullable Path json;

    /**
     * Writes the files that were asked for.
     *
     * @param results what to write
     * @throws IOException if a file cannot be written
     */
    public void write(Results results) throws IOException {
        if (json != null) {
            results.writeJson(json);
        }
    }
}
