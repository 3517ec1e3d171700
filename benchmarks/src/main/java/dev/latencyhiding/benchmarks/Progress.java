package dev.latencyhiding.benchmarks;

import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/** A progress bar on the terminal; nothing if the output goes elsewhere. Safe for several threads. */
public final class Progress implements AutoCloseable {
    private final @Nullable ProgressBar bar;

    private Progress(@Nullable ProgressBar bar) {
        this.bar = bar;
    }

    /**
     * Starts a progress bar.
     *
     * @param steps the number of steps until the end
     * @return the progress bar
     */
    public static Progress of(long steps) {
        return new Progress(
                Ansi.AUTO.enabled()
                        ? new ProgressBarBuilder()
                                .setInitialMax(steps)
                                .setStyle(ProgressBarStyle.ASCII)
                                .clearDisplayOnFinish()
                                .build()
                        : null);
    }

    /**
     * Another step begins.
     *
     * @param what what is done in it
     */
    public void step(String what) {
        if (bar != null) {
            bar.setExtraMessage(what);
            bar.step();
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
