package dev.latencyhiding.benchmarks.peers;

import dev.latencyhiding.LatencyHidingScheduler;
import dev.latencyhiding.Policy;
import dev.latencyhiding.benchmarks.peers.PeerSpec.Role;
import dev.latencyhiding.coroutines.LatencyHiding;
import dev.latencyhiding.coroutines.LatencyHidingKt;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Collectors;
import kotlinx.coroutines.CoroutineDispatcher;
import kotlinx.coroutines.Dispatchers;
import kotlinx.coroutines.ExecutorsKt;

/** The dispatchers that are known by name. */
public final class Peers {
    /** The name of our own dispatcher. */
    public static final String OURS = "LatencyHiding";
    /** The name of the dispatcher that the first ratio refers to. */
    public static final String DEFAULT = "Default";
    /** The name of the same with a thread of its own for what waits. */
    public static final String DEFAULT_AND_THREAD = DEFAULT + "+Thread";
    /** The name of a plain ForkJoinPool. */
    public static final String FORK_JOIN = "ForkJoin-LIFO";
    /** The name of our dispatcher with classic work stealing, which does not hide latency. */
    public static final String CLASSIC = OURS + "-" + Policy.CLASSIC;
    /** The name of Netty. */
    public static final String NETTY = "Netty";
    /** The name of blocking sockets on virtual threads. */
    public static final String BLOCKING = "Blocking";
    /** The name of coroutines that go on at once on the thread that completes what they wait for. */
    public static final String INLINE = "Inline";
    /** As {@link #INLINE}, with one such thread. */
    public static final String INLINE_ONE = "Inline-1";
    /** The name of Dispatchers.Default with this project's I/O threads. */
    public static final String DEFAULT_IO_GROUP = "Default-IoGroup";
    /** The name under which the bounds of workloads are measured. */
    public static final String BOUND = "Bound";

    // Nothing is dispatched: the workload starts the threads.
    private static final PeerSpec BOUND_SPEC =
            spec(BOUND, Role.BOUND, "plain threads without scheduling", parallelism -> Dispatchers.getUnconfined());

    private Peers() {}

    /**
     * All dispatchers that this JVM can run, ours first.
     *
     * @return the dispatchers
     */
    public static List<PeerSpec> known() {
        List<PeerSpec> known = new ArrayList<>();
        known.add(spec(OURS, Role.OURS, "this project's dispatcher", parallelism -> LatencyHiding.INSTANCE));
        known.add(spec(DEFAULT, Role.PEER, "Dispatchers.Default", parallelism -> Dispatchers.getDefault()));
        known.add(
                spec("IO", Role.PEER, "Dispatchers.IO, with its usual 64 threads", parallelism -> Dispatchers.getIO()));
        known.add(spec(FORK_JOIN, Role.PEER, "a ForkJoinPool", parallelism -> from(new ForkJoinPool(parallelism))));
        known.add(spec(
                "ForkJoin-FIFO",
                Role.PEER,
                "a ForkJoinPool in asynchronous mode",
                parallelism -> from(
                        new ForkJoinPool(parallelism, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true))));
        known.add(spec(
                "Fixed",
                Role.PEER,
                "a fixed thread pool",
                parallelism -> from(Executors.newFixedThreadPool(parallelism, daemons("fixed")))));
        known.add(new PeerSpec(
                DEFAULT_AND_THREAD,
                Role.PEER,
                "Dispatchers.Default, and a thread of its own for what waits",
                (name, parallelism) -> new Peer(
                        name,
                        Dispatchers.getDefault(),
                        from(Executors.newSingleThreadExecutor(daemons("waiting"))),
                        parallelism)));
        known.add(spec(
                "TwoQueues",
                Role.PEER,
                "a fixed pool with a second queue for what was resumed, which is polled first",
                TwoQueuesDispatcher::new));
        if (VirtualThreads.exist()) {
            known.add(spec(
                    "VirtualThreads",
                    Role.PEER,
                    "a virtual thread for each task",
                    parallelism -> from(VirtualThreads.newExecutor())));
        }
        for (Policy policy : Policy.values()) {
            if (policy != Policy.PROWS_R) {
                known.add(spec(
                        OURS + "-" + policy,
                        Role.VARIANT,
                        "this project's dispatcher with the policy " + policy,
                        parallelism -> LatencyHidingKt.asCoroutineDispatcher(LatencyHidingScheduler.builder()
                                .parallelism(parallelism)
                                .policy(policy)
                                .build())));
            }
        }
        known.addAll(references());
        return known;
    }

    /** Not dispatchers, but other ways to get messages to and fro. */
    private static List<PeerSpec> references() {
        List<PeerSpec> references = new ArrayList<>();
        references.add(reference(NETTY, "Netty, with P threads", Dispatchers.getUnconfined()));
        if (VirtualThreads.exist()) {
            references.add(
                    reference(BLOCKING, "blocking sockets, a virtual thread for each", Dispatchers.getUnconfined()));
        }
        references.add(reference(
                INLINE, "coroutines that go on at once on the I/O thread; P of these", Dispatchers.getUnconfined()));
        references.add(reference(INLINE_ONE, "the same with one I/O thread", Dispatchers.getUnconfined()));
        references.add(reference(
                DEFAULT_IO_GROUP, "Dispatchers.Default with this project's I/O threads", Dispatchers.getDefault()));
        return references;
    }

    private static PeerSpec reference(String name, String description, CoroutineDispatcher dispatcher) {
        return spec(name, Role.REFERENCE, description, parallelism -> dispatcher);
    }

    /**
     * The pseudo-dispatcher under whose name bounds are measured.
     *
     * @return plain threads
     */
    public static PeerSpec bound() {
        return BOUND_SPEC;
    }

    /**
     * A dispatcher by its name.
     *
     * @param name the name, in upper or lower case
     * @return the dispatcher
     * @throws IllegalArgumentException if there is none of that name; the message lists those that there are
     */
    public static PeerSpec named(String name) {
        if (name.equals(BOUND)) {
            return bound();
        }
        List<PeerSpec> known = known();
        return known.stream()
                .filter(spec -> spec.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("Unknown dispatcher '" + name + "'; known are "
                        + known.stream().map(PeerSpec::name).collect(Collectors.joining(", "))));
    }

    /**
     * Whether it is one of the dispatchers of which the best is the one to beat.
     *
     * @param name the name
     * @return false if it is none, ours, or something else that is measured
     */
    public static boolean isPeer(String name) {
        return known().stream()
                .anyMatch(spec -> spec.role() == Role.PEER && spec.name().equals(name));
    }

    /**
     * What a JVM must be started with, so that all dispatchers have the same number of workers.
     *
     * @param parallelism the number of workers
     * @return options of the command {@code java}
     */
    public static List<String> jvmOptions(int parallelism) {
        return List.of(
                "-D" + LatencyHidingScheduler.PARALLELISM_PROPERTY + "=" + parallelism,
                "-Dkotlinx.coroutines.scheduler.core.pool.size=" + parallelism,
                "-Djdk.virtualThreadScheduler.parallelism=" + parallelism);
    }

    private interface DispatcherFactory {
        CoroutineDispatcher start(int parallelism);
    }

    private static PeerSpec spec(String name, Role role, String description, DispatcherFactory factory) {
        return new PeerSpec(
                name,
                role,
                description,
                (label, parallelism) -> new Peer(label, factory.start(parallelism), parallelism));
    }

    private static CoroutineDispatcher from(Executor executor) {
        return ExecutorsKt.from(executor);
    }

    static ThreadFactory daemons(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
