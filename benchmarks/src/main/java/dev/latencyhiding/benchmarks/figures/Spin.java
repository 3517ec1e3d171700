package dev.latencyhiding.benchmarks.figures;

import java.util.concurrent.Executor;

/** Computing nodes of a given length. */
final class Spin {
    private Spin() {}

    static void forNanos(long nanos) {
        final long end = System.nanoTime() + nanos;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }

    /** A load that never ends by itself: each node hands in its successor, until told to stop. */
    static final class Load {
        private final Executor executor;
        private final long nodeNanos;
        private volatile boolean stopped;

        Load(Executor executor, long nodeNanos) {
            this.executor = executor;
            this.nodeNanos = nodeNanos;
        }

        void start(int chains) {
            for (int i = 0; i < chains; i++) {
                executor.execute(this::step);
            }
        }

        private void step() {
            if (!stopped) {
                forNanos(nodeNanos);
                executor.execute(this::step);
            }
        }

        void stop() {
            stopped = true;
        }
    }
}
