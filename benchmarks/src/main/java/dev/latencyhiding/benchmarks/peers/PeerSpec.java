package dev.latencyhiding.benchmarks.peers;

/**
 * A dispatcher that can be measured.
 *
 * @param name its name in tables and on the command line
 * @param role what it is compared as
 * @param description one line about it
 * @param factory starts it
 */
public record PeerSpec(String name, Role role, String description, Factory factory) {
    /** What a dispatcher is compared as. */
    public enum Role {
        /** The scheduler of this project. */
        OURS,
        /** What one would use instead; the best of these is the one to beat. */
        PEER,
        /** Another policy of our scheduler, or a dispatcher that was added on the command line. */
        VARIANT,
        /** No dispatcher, but another way to do what a workload does. */
        REFERENCE,
        /** No dispatcher: plain threads that do the computing of a workload without any scheduling. */
        BOUND
    }

    /** Starts a dispatcher. */
    @FunctionalInterface
    public interface Factory {
        /**
         * Starts the dispatcher.
         *
         * @param name its name
         * @param parallelism the number of workers
         * @return the running dispatcher
         */
        Peer start(String name, int parallelism);
    }

    /**
     * Starts the dispatcher in this JVM, which must have been started with {@link Peers#jvmOptions}.
     *
     * @param parallelism the number of workers
     * @return the running dispatcher
     */
    public Peer start(int parallelism) {
        return factory.start(name, parallelism);
    }
}
