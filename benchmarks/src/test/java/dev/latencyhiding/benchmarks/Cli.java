package dev.latencyhiding.benchmarks;

import java.io.PrintWriter;
import java.io.StringWriter;

/** The command line, as a test sees it. */
public final class Cli {
    private final StringWriter out = new StringWriter();
    private final StringWriter errors = new StringWriter();

    /** Runs a sub-command in this JVM and returns its exit status. */
    public int run(String... args) {
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(errors, true))
                .execute(args);
    }

    /** All that was printed since the last call. */
    public String takeOut() {
        String text = out.toString();
        out.getBuffer().setLength(0);
        return text;
    }

    /** All complaints so far. */
    public String errors() {
        return errors.toString();
    }

    /** Everything, for the message of a failed assertion. */
    @Override
    public String toString() {
        return out.toString() + errors;
    }
}
