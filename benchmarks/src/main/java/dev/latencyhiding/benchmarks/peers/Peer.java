package dev.latencyhiding.benchmarks.peers;

import kotlinx.coroutines.CoroutineDispatcher;

/**
 * A running dispatcher, as a workload sees it.
 *
 * @param name its name in tables and on the command line
 * @param dispatcher where coroutines run
 * @param waiting where coroutines go that mostly wait: the same dispatcher, except for programs that keep a thread of
 *     their own for that
 * @param parallelism the number of workers
 */
public record Peer(String name, CoroutineDispatcher dispatcher, CoroutineDispatcher waiting, int parallelism) {
    /**
     * A dispatcher that computes and waits.
     *
     * @param name its name
     * @param dispatcher where coroutines run
     * @param parallelism the number of workers
     */
    public Peer(String name, CoroutineDispatcher dispatcher, int parallelism) {
        this(name, dispatcher, dispatcher, parallelism);
    }

    /**
     * Whether waiting has a dispatcher of its own.
     *
     * @return true if a workload has to switch
     */
    public boolean waitsElsewhere() {
        return waiting != dispatcher;
    }
}
