package dev.latencyhiding;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * One scheduler from its first node to its end under a random load that is decided by the seed, apart
 * from the threads' timing. Every node has a number; who hands it in notes whether it was accepted.
 */
final class StressRound {
    /** How the round ends. */
    private enum End {
        WHEN_QUIET,
        CLOSE_IN_BETWEEN,
        CLOSE_ON_WORKER,
        SHUTDOWN_NOW
    }

    private final Policy policy;
    private final long seed;
    private final int budget;
    private final int parallelism;
    private final int submitters;
    private final int blockingOneIn;
    private final End end;

    private final AtomicInteger numbers = new AtomicInteger();
    private final AtomicIntegerArray accepted;
    private final AtomicIntegerArray runs;
    /** Completions handed to the foreign threads and not done yet. */
    private final AtomicInteger pending = new AtomicInteger();

    /** What nodes and foreign threads threw and should not have. */
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

    private final LatencyHidingScheduler scheduler;
    private final ScheduledExecutorService foreign = Executors.newScheduledThreadPool(
            2, body -> new CompletionThread("stress-foreign", body)); // some nodes run there, as guests

    StressRound(Policy policy, long seed, int maxNodes) {
        final SplittableRandom random = new SplittableRandom(seed);
        this.policy = policy;
        this.seed = seed;
        this.budget = random.nextInt(maxNodes / 20, maxNodes);
        this.parallelism = random.nextInt(1, 17);
        this.submitters = random.nextInt(1, 4);
        this.blockingOneIn = random.nextInt(3) == 0 ? random.nextInt(200, 3000) : Integer.MAX_VALUE;
        this.end = End.values()[random.nextInt(End.values().length)];
        this.accepted = new AtomicIntegerArray(budget);
        this.runs = new AtomicIntegerArray(budget);
        this.scheduler = LatencyHidingScheduler.builder()
                .name("stress-" + Long.toHexString(seed))
                .parallelism(parallelism)
                .policy(policy)
                .maxSpareWorkers(random.nextInt(8))
                .seed(seed)
                .uncaughtExceptionHandler((thread, error) -> {
                    final boolean refused = end == End.SHUTDOWN_NOW && error instanceof RejectedExecutionException;
                    if (!refused && !(error instanceof ExpectedException)) {
                        failures.add(error);
                    }
                })
                .build();
    }

    /** Returns how many nodes ran. */
    int run() {
        try {
            final List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < submitters; i++) {
                final long submitterSeed = seed + 31L * (i + 1);
                threads.add(Await.thread(() -> submit(new SplittableRandom(submitterSeed))));
            }
            finish(threads);
            return check();
        } finally {
            foreign.shutdownNow();
        }
    }

    // ---- the end of the round ----

    private void finish(List<Thread> threads) {
        final int endAt = new SplittableRandom(seed).split().nextInt(budget);
        if (end != End.WHEN_QUIET) {
            await("nodes", () -> numbers.get() > endAt || threads.stream().noneMatch(Thread::isAlive));
        }
        switch (end) {
            case WHEN_QUIET -> {
                awaitQuiet(threads);
                SchedulerInspector.assertQuiescent(scheduler);
                SchedulerInspector.assertMembershipAgrees(scheduler);
                scheduler.shutdown();
            }
            case CLOSE_IN_BETWEEN -> scheduler.shutdown();
            case CLOSE_ON_WORKER -> scheduler.execute(scheduler::close);
            case SHUTDOWN_NOW -> scheduler.shutdownNow();
        }
        await("termination", scheduler::isTerminated);
        await("submitters", () -> threads.stream().noneMatch(Thread::isAlive));
        await("completions", () -> pending.get() == 0);
    }

    private void awaitQuiet(List<Thread> threads) {
        final SchedulerCore core = scheduler.core();
        await(
                "quiet",
                () -> threads.stream().noneMatch(Thread::isAlive)
                        && pending.get() == 0
                        && core.workers.count() == core.parallelism() // the watchdog wakes spare ones to retire
                        && core.idle.searchers() == 0
                        && core.isQuiescent());
    }

    private void await(String what, BooleanSupplier condition) {
        try {
            Await.until(what, condition);
        } catch (AssertionError late) {
            throw new AssertionError(
                    this + ": " + late.getMessage() + "\n" + SchedulerInspector.describe(scheduler), late);
        }
    }

    private int check() {
        if (!failures.isEmpty()) {
            throw new AssertionError(this + ": " + failures, failures.peek());
        }
        int ran = 0;
        for (int i = 0; i < budget; i++) {
            ran += runs.get(i);
            if (accepted.get(i) != runs.get(i)) {
                throw new AssertionError(this + ": node " + i + " was accepted " + accepted.get(i) + " times and ran "
                        + runs.get(i) + " times\n" + SchedulerInspector.describe(scheduler));
            }
        }
        if (end != End.SHUTDOWN_NOW) {
            SchedulerInspector.assertQuiescent(scheduler);
        }
        await("end of all threads", () -> Await.threadsNamed(scheduler.name()) == 0);
        return ran;
    }

    // ---- the load ----

    private final class Node implements Runnable {
        private final int number;

        Node(int number) {
            this.number = number;
        }

        @Override
        public void run() {
            runs.incrementAndGet(number);
            final SplittableRandom random = new SplittableRandom(seed * 1_000_003 + number);
            act(random);
            if (random.nextInt(blockingOneIn) == 0) {
                LockSupport.parkNanos(random.nextInt(30_000_000)); // long enough for a spare worker
            }
            if (random.nextInt(1000) == 0) {
                throw new ExpectedException();
            }
        }
    }

    private static final class ExpectedException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** A new node, or null if the round has had enough. */
    private Node newNode() {
        final int number = numbers.get() < budget ? numbers.getAndIncrement() : budget;
        return number < budget ? new Node(number) : null;
    }

    private void act(SplittableRandom random) {
        switch (random.nextInt(8)) {
            case 0, 1, 2 -> {
                for (int i = random.nextInt(4); i > 0; i--) {
                    spawn(random);
                }
            }
            case 3 -> fairly();
            case 4 -> suspend(random);
            case 5 -> {
                spawn(random);
                spawn(random);
                suspend(random);
            }
            case 6 -> {
                for (int i = random.nextInt(4); i >= 0; i--) {
                    suspend(random);
                }
                spawn(random);
            }
            default -> {
                // a leaf
            }
        }
    }

    private void spawn(SplittableRandom random) {
        if (random.nextInt(10) == 0) {
            fairly();
            return;
        }
        final Node node = newNode();
        if (node != null) {
            scheduler.execute(node);
            accepted.incrementAndGet(node.number);
        }
    }

    private void fairly() {
        final Node node = newNode();
        if (node != null) {
            scheduler.executeFairly(node);
            accepted.incrementAndGet(node.number);
        }
    }

    private void suspend(SplittableRandom random) {
        complete(Suspension.open(scheduler), random);
    }

    /** Sees to it that the suspension ends, in one of many ways. */
    private void complete(Suspension suspension, SplittableRandom random) {
        final Node node = newNode();
        if (node == null) {
            suspension.release();
            return;
        }
        switch (random.nextInt(8)) {
            case 0 -> resume(suspension, node); // early, if on a worker
            case 1 -> {
                if (policy == Policy.CLASSIC) { // all workers could be blocked by what queued nodes are to resume
                    later(0, () -> resume(suspension, node));
                } else {
                    onWorker(suspension, node);
                }
            }
            case 2 -> later(0, () -> resume(suspension, node));
            case 3 -> later(random.nextInt(2_000), () -> resumeBy(suspension, node));
            case 4 -> { // twice
                final Node other = newNode();
                later(0, () -> resume(suspension, node));
                later(0, () -> resume(suspension, other == null ? node : other));
            }
            case 5 -> { // cancelled while it completes
                later(0, () -> resumeBy(suspension, node));
                later(0, suspension::release);
            }
            case 6 -> later(random.nextInt(200), suspension::release);
            default -> { // completes here while it is cancelled elsewhere
                later(0, suspension::release);
                resume(suspension, node);
            }
        }
    }

    private void onWorker(Suspension suspension, Node node) {
        if (Worker.current(scheduler.core()) != null) {
            scheduler.execute(() -> resume(suspension, node));
        } else {
            resume(suspension, node);
        }
    }

    private void resume(Suspension suspension, Node node) {
        try {
            if (suspension.resume(node)) {
                accepted.incrementAndGet(node.number);
            }
        } catch (RejectedExecutionException refused) {
            if (end != End.SHUTDOWN_NOW) {
                throw refused;
            }
        }
    }

    /** The node runs on this thread, perhaps. If the suspension had ended, it is new work. */
    private void resumeBy(Suspension suspension, Node node) {
        try {
            suspension.resumeBy(() -> {
                scheduler.executeResumed(node);
                accepted.incrementAndGet(node.number);
            });
        } catch (RejectedExecutionException refused) {
            if (!scheduler.isShutdown()) {
                throw refused;
            }
        }
    }

    private void later(int micros, Runnable body) {
        pending.incrementAndGet();
        @SuppressWarnings("unused")
        final Future<?> unused = foreign.schedule(
                () -> {
                    try {
                        body.run();
                    } catch (Throwable error) {
                        failures.add(error);
                    } finally {
                        pending.decrementAndGet();
                    }
                },
                micros,
                TimeUnit.MICROSECONDS);
    }

    // ---- from outside ----

    private void submit(SplittableRandom random) {
        try {
            while (numbers.get() < budget) {
                for (int i = random.nextInt(1, 50); i > 0; i--) {
                    submitOne(random);
                }
                LockSupport.parkNanos(random.nextInt(300_000));
            }
        } catch (RejectedExecutionException closed) {
            if (!scheduler.isShutdown()) {
                throw closed;
            }
        }
    }

    private void submitOne(SplittableRandom random) {
        if (random.nextInt(10) == 0) {
            complete(Suspension.open(scheduler), random);
            return;
        }
        final Node node = newNode();
        if (node != null) {
            if (random.nextBoolean()) {
                scheduler.execute(node);
            } else {
                scheduler.executeFairly(node);
            }
            accepted.incrementAndGet(node.number);
        }
    }

    @Override
    public String toString() {
        return policy + ", seed " + seed + "L: " + end + ", parallelism " + parallelism + ", nodes " + budget
                + ", submitters " + submitters + ", one in " + blockingOneIn + " blocks";
    }
}
