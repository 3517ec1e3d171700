package dev.latencyhiding.benchmarks.figures;

import dev.latencyhiding.LatencyHidingScheduler;
import dev.latencyhiding.Suspension;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Consumer;

/** Something that runs nodes and can be compared: ours, or what a Java program would use instead. */
enum Peer {
    LATENCY_HIDING("LatencyHiding") {
        @Override
        ExecutorService start(int parallelism) {
            return LatencyHidingScheduler.builder().parallelism(parallelism).build();
        }

        @Override
        Consumer<Runnable> suspend(ExecutorService executor) {
            return Suspension.open()::resume;
        }
    },
    FORK_JOIN_LIFO("ForkJoinPool LIFO") {
        @Override
        ExecutorService start(int parallelism) {
            return new ForkJoinPool(parallelism);
        }
    },
    FORK_JOIN_FIFO("ForkJoinPool FIFO") {
        @Override
        ExecutorService start(int parallelism) {
            return new ForkJoinPool(parallelism, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);
        }
    },
    FIXED_POOL("fixed pool") {
        @Override
        ExecutorService start(int parallelism) {
            return Executors.newFixedThreadPool(parallelism);
        }
    };

    private final String label;

    Peer(String label) {
        this.label = label;
    }

    abstract ExecutorService start(int parallelism);

    /** Called inside a node that waits: what to call with the node that goes on, from any thread. */
    Consumer<Runnable> suspend(ExecutorService executor) {
        return executor::execute;
    }

    @Override
    public String toString() {
        return label;
    }
}
