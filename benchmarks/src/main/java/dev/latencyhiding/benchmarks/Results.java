package dev.latencyhiding.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * All that a run found out: what the reports are made of.
 *
 * @param environment where and when
 * @param measurements one for each workload, case, metric and dispatcher
 * @param bars the bars that were checked
 * @param profiles what explains the bars that were missed
 * @param notes what the reader should know, such as a dispatcher that crashed
 */
public record Results(
        Environment environment,
        List<Measurement> measurements,
        List<BarResult> bars,
        List<Profile> profiles,
        List<String> notes) {

    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    /**
     * The results of a run that profiles nothing.
     *
     * @param environment where and when
     * @param measurements one for each workload, case, metric and dispatcher
     * @param bars the bars that were checked
     * @param notes what the reader should know
     */
    public Results(Environment environment, List<Measurement> measurements, List<BarResult> bars, List<String> notes) {
        this(environment, measurements, bars, List.of(), notes);
    }

    /**
     * Writes the results as JSON.
     *
     * @param file the file to write; directories above it are made
     * @throws IOException if it cannot be written
     */
    public void writeJson(Path file) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        JSON.writeValue(file.toFile(), this);
    }

    /**
     * Reads what {@link #writeJson} wrote.
     *
     * @param file the file
     * @return the results in it
     * @throws IOException if it cannot be read or is something else
     */
    public static Results readJson(Path file) throws IOException {
        return JSON.readValue(file.toFile(), Results.class);
    }
}
