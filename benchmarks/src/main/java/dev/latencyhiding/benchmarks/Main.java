package dev.latencyhiding.benchmarks;

import dev.latencyhiding.benchmarks.compare.AgreeCommand;
import dev.latencyhiding.benchmarks.compare.CompareCommand;
import dev.latencyhiding.benchmarks.jmh.JmhCommand;
import dev.latencyhiding.benchmarks.paper.PaperCommand;
import dev.latencyhiding.benchmarks.simulate.SimulateCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The command line of the benchmarks. */
@Command(
        name = "benchmarks",
        mixinStandardHelpOptions = true,
        description = "Measures the latency-hiding scheduler beside what one would use instead.",
        subcommands = {
            CompareCommand.class,
            AgreeCommand.class,
            PaperCommand.class,
            SimulateCommand.class,
            JmhCommand.class,
            HelpCommand.class
        })
public final class Main {
    private Main() {}

    /**
     * Runs a sub-command.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main()).setUsageHelpAutoWidth(true);
    }
}
