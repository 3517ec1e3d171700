package dev.latencyhiding.benchmarks;

import dev.latencyhiding.benchmarks.report.HtmlReport;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The files that every sub-command can write beside what it prints. */
public final class OutputOptions {
    @Option(names = "--json", paramLabel = "FILE", description = "Write all measurements to a JSON file.")
    private @Nullable Path json;

    @Option(names = "--html", paramLabel = "FILE", description = "Write a report with plots to an HTML file.")
    private @Nullable Path html;

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
        if (html != null) {
            HtmlReport.write(results, html);
        }
    }
}
