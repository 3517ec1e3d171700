package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.Better;
import dev.latencyhiding.benchmarks.Profile.Method;
import dev.latencyhiding.benchmarks.Profile.Part;
import dev.latencyhiding.benchmarks.workloads.Sample;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The parent's end of a child JVM. Waits for one answer before it sends the next command. */
final class Child implements AutoCloseable {
    /** Lines of a child's output that are shown if it fails. */
    private static final int TAIL = 200;

    private static final long SECONDS_TO_END = 10;

    private final Process process;
    private final BufferedReader in;
    private final Writer out;
    private final Thread errors;
    private final Deque<String> tail = new ArrayDeque<>(); // guarded by itself

    private Child(Process process) {
        this.process = process;
        in = reader(process.getInputStream());
        out = process.outputWriter(StandardCharsets.UTF_8);
        errors = new Thread(() -> keepTail(process.getErrorStream()), "errors of child " + process.pid());
        errors.setDaemon(true);
        errors.start();
    }

    /** Starts a JVM and waits until it has started its dispatcher. */
    static Child start(ChildSpec spec, List<String> jvmOptions, List<Path> extraClassPath) {
        StringBuilder classPath = new StringBuilder(System.getProperty("java.class.path"));
        extraClassPath.forEach(path -> classPath.append(File.pathSeparator).append(path));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", classPath.toString(), ChildMain.class.getName()));
        command.addAll(spec.toArguments());
        return start(command);
    }

    static Child start(List<String> command) {
        try {
            Child child = new Child(new ProcessBuilder(command).start());
            List<String> answer = child.answer();
            if (!answer.get(0).equals(Wire.READY)) {
                throw child.failure("answers " + answer);
            }
            return child;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a case for a while. */
    void warm(String workload, int index, long millis) {
        send(Wire.WARM, workload, Integer.toString(index), Long.toString(millis));
        answers(answer -> false);
    }

    /** Runs a case in steps until it is compiled, or so many milliseconds have passed. */
    void settle(String workload, int index, long stepMillis, long mostMillis) {
        send(Wire.SETTLE, workload, Integer.toString(index), Long.toString(stepMillis), Long.toString(mostMillis));
        answers(answer -> false);
    }

    List<Sample> run(String workload, int index) {
        send(Wire.RUN, workload, Integer.toString(index));
        List<Sample> samples = new ArrayList<>();
        answers(answer -> answer.get(0).equals(Wire.SAMPLE)
                && samples.add(new Sample(
                        answer.get(1),
                        answer.get(2),
                        Better.valueOf(answer.get(3)),
                        Double.parseDouble(answer.get(4)))));
        return samples;
    }

    ProfiledRuns profile(String workload, int index, long millis) {
        send(Wire.PROFILE, workload, Integer.toString(index), Long.toString(millis));
        Map<Part, Double> parts = new EnumMap<>(Part.class);
        List<Method> hottest = new ArrayList<>();
        answers(answer -> {
            switch (answer.get(0)) {
                case Wire.PART -> parts.put(Part.valueOf(answer.get(1)), Double.parseDouble(answer.get(2)));
                case Wire.METHOD -> hottest.add(new Method(answer.get(1), Double.parseDouble(answer.get(2))));
                default -> {
                    return false;
                }
            }
            return true;
        });
        return new ProfiledRuns(parts, hottest);
    }

    /** All answers to a command; whoever gave it says which ones it understands, beside those to every command. */
    private void answers(Predicate<List<String>> understood) {
        while (true) {
            List<String> answer = answer();
            switch (answer.get(0)) {
                case Wire.DONE -> {
                    return;
                }
                case Wire.FAILED -> throw new ChildFailure(answer.get(1), process.isAlive());
                default -> {
                    if (!understood.test(answer)) {
                        throw failure("answers " + answer);
                    }
                }
            }
        }
    }

    private void send(String... fields) {
        try {
            out.write(Wire.encode(fields));
            out.write('\n');
            out.flush();
        } catch (IOException e) {
            throw failure("takes no commands any more");
        }
    }

    private List<String> answer() {
        try {
            while (true) {
                String line = in.readLine();
                if (line == null) {
                    throw failure("ended");
                }
                List<String> fields = Wire.decode(line);
                if (fields != null) {
                    return fields;
                }
                remember(line);
            }
        } catch (IOException e) {
            throw failure("cannot be read: " + e.getMessage());
        }
    }

    /** The child is lost; ends it if it lives, so that its last words are complete. */
    private ChildFailure failure(String what) {
        close();
        String status = process.isAlive() ? "killed" : "exit status " + process.exitValue();
        synchronized (tail) {
            return new ChildFailure(
                    "The JVM " + what + " (" + status + "). The end of its output:\n" + String.join("\n", tail), false);
        }
    }

    private void keepTail(InputStream stream) {
        try (BufferedReader lines = reader(stream)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                remember(line);
            }
        } catch (IOException e) {
            remember("(the rest cannot be read: " + e.getMessage() + ")");
        }
    }

    private void remember(String line) {
        synchronized (tail) {
            if (tail.size() == TAIL) {
                tail.removeFirst();
            }
            tail.addLast(line);
        }
    }

    /** Lets the JVM end by itself, or kills it. */
    @Override
    public void close() {
        try {
            out.close();
        } catch (IOException e) {
            remember("(its input was closed already: " + e.getMessage() + ")");
        }
        try {
            if (!process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor(SECONDS_TO_END, TimeUnit.SECONDS);
            }
            errors.join(TimeUnit.SECONDS.toMillis(SECONDS_TO_END));
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private static BufferedReader reader(InputStream stream) {
        return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
    }
}
