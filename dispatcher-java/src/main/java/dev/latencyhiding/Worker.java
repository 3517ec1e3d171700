package dev.latencyhiding;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One of the P places where nodes run: Algorithm 1. It asks {@link Turns} for the next node, and
 * finding none becomes a {@link Thief}; finding nothing anywhere, it sleeps ({@link IdleWorkers}).
 */
/*
 * Implementation notes
 *
 * Invariants
 *   P1  While a node runs, active is not null, and the worker owns active and home.
 *   P2  A worker that is announced as sleeping holds no node. Termination relies on it.
 */
final class Worker extends WorkerPadding {
    /** Rounds of random victims before a sweep. Not tuned. */
    private static final int SEARCH_ROUNDS = 4;

    /** Spin hints between two rounds. Not tuned. */
    private static final int SPINS_PER_ROUND = 64;

    /** How long a node that asks may compute while others wait. */
    private static final long SLICE_NANOS = 1_000_000;

    private static final int CHECKPOINTS_PER_CLOCK = 64;

    private static final VarHandle PROGRESS = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "progress", VarHandle.class, Worker.class, long.class);

    final SchedulerCore core;
    final int id;
    final Counters counters = new Counters.OfWorker();
    final XorShift random;
    final DequePool pool = new DequePool();
    final IdleWorkers.Sleeper sleeper;

    /** Not one of the first P: it stands in for a blocked worker and retires when that goes on. */
    final boolean spare;

    private final Thief thief;
    private final Turns turns;

    /** Goes up by one when a node starts and when it ends: odd inside a node. Written by the worker only. */
    private long progress;

    /** Belongs to the watchdog. */
    private long progressAtLastLook;

    private volatile @Nullable Thread thread;

    /** Suspensions opened by the node that is running. */
    private int opened;

    private int checkpoints;
    private long sliceOf;
    private long sliceBegan;

    /** Counted as a searcher by {@link IdleWorkers}. */
    private boolean searching;

    /** Counted as a sleeper, or woken since. */
    private boolean announced;

    Worker(SchedulerCore core, int id, long seed, Gate gate, boolean spare) {
        super(new StealableSet(id));
        this.core = core;
        this.id = id;
        this.random = new XorShift(seed);
        this.sleeper = new IdleWorkers.Sleeper(gate);
        this.spare = spare;
        this.thief = new Thief(this);
        this.turns = new Turns(this, thief);
    }

    /** The worker that the current thread is, of whatever scheduler; null if it is none. */
    static @Nullable Worker current() {
        return Thread.currentThread() instanceof WorkerThread thread ? thread.worker : null;
    }

    /** As {@link #current()}, but of the given scheduler only. */
    static @Nullable Worker current(SchedulerCore core) {
        final Worker worker = current();
        return worker != null && worker.core == core ? worker : null;
    }

    // ---- Algorithm 1 ----

    /** The scheduling loop. Returns when the scheduler has terminated or this spare worker retires. */
    void run() {
        thread = Thread.currentThread();
        cleanUpAfterDeadThread();
        while (runNext()) {
            // the node is a local of runNext, so that nothing here keeps it alive while idle
        }
    }

    /** Of a thread that died of an error of the scheduler's own; nodes cannot kill one. */
    private void cleanUpAfterDeadThread() {
        if (announced) {
            core.idle.cancelSleep(sleeper);
            announced = false;
            searching = true;
        }
        if (searching) {
            core.idle.stopSearching();
            searching = false;
        }
        if ((progress & 1) != 0) {
            endNode();
        }
    }

    private boolean runNext() {
        final Runnable node = findNode();
        if (node == null) {
            return false;
        }
        execute(node);
        return true;
    }

    /** Package-private so that tests can run a worker node by node. */
    void execute(Runnable node) {
        if (active() == null) {
            setActive(pool.take());
        }
        Thread.interrupted(); // an interrupt that came since was meant for an earlier node
        PROGRESS.setOpaque(this, progress + 1);
        try {
            node.run();
        } catch (Throwable error) { // whatever it is, the worker lives
            report(error);
        }
        endNode();
    }

    private void endNode() {
        PROGRESS.setOpaque(this, progress + 1);
        if (opened > 0) {
            opened = 0;
            suspendActive();
        }
    }

    private void report(Throwable error) {
        counters.increment(Counter.FAILED_NODES);
        try {
            final Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
        } catch (Throwable ignored) {
            // As the JVM does: an exception of the handler is ignored.
        }
    }

    /** suspendDeque: gives the active deque away, unless all that its node waits for came back already. */
    private void suspendActive() {
        final ProwsDeque deque = ownActive();
        final boolean empty = deque.isArrayEmpty();
        if (empty) {
            pool.strip(deque);
        } else {
            core.workers.enlist(deque, random); // before others can claim it (D1)
        }
        if (!deque.trySuspend()) {
            counters.increment(Counter.EARLY_COMPLETIONS);
            if (!empty) {
                thief.delist(deque);
            }
            return;
        }
        counters.moved(DequeState.ACTIVE, DequeState.SUSPENDED);
        setActive(null);
        if (!empty) {
            thief.offer(deque);
        }
    }

    private @Nullable Runnable findNode() {
        for (; ; ) {
            if (spare && core.tryRetire(this)) {
                return null;
            }
            final Runnable node = turns.next();
            if (node != null) {
                return node;
            }
            final Runnable stolen = searchOrSleep();
            if (stolen != null) {
                return stolen;
            }
            if (core.lifeCycle.isTerminated()) {
                return null;
            }
        }
    }

    // ---- stealing and sleeping ----

    /** Algorithm 3, setToActive: a mugged deque becomes the active one. The worker has no nodes of its own. */
    @Nullable Runnable setToActive(ProwsDeque mugged) {
        turns.visit(mugged);
        return mugged.popBottom();
    }

    private @Nullable Runnable searchOrSleep() {
        searching = core.idle.tryStartSearching();
        Runnable node = searching ? search() : null;
        if (node == null) {
            sleep();
            node = core.lifeCycle.isTerminated() ? null : search();
        }
        searching = false;
        core.idle.stopSearching();
        return node;
    }

    /** Returns when there may be something to do. The worker is a searcher then. */
    private void sleep() {
        announced = true;
        core.idle.announceSleep(sleeper, searching);
        // Terminated: a spare worker that was added too late would not be woken any more.
        if (core.hasWork() || core.lifeCycle.isTerminated()) {
            core.idle.cancelSleep(sleeper);
        } else {
            core.lifeCycle.tryTerminate();
            counters.increment(Counter.PARKS);
            core.idle.park(sleeper);
        }
        searching = true;
        announced = false;
    }

    private @Nullable Runnable search() {
        for (int round = 0; round < SEARCH_ROUNDS; round++) {
            Runnable node = turns.next();
            for (int attempt = core.workers.count(); node == null && attempt > 0; attempt--) {
                node = thief.stealOnce();
            }
            if (node != null) {
                return node;
            }
            for (int i = 0; i < SPINS_PER_ROUND; i++) {
                Thread.onSpinWait();
            }
        }
        return thief.sweep();
    }

    /** For thieves: one of this worker's deques, owned or listed, each with the same probability. */
    @Nullable ProwsDeque chooseRandom(XorShift random) {
        final ProwsDeque active = active();
        final ProwsDeque home = home();
        final int owned = (active == null ? 0 : 1) + (home == null ? 0 : 1);
        final int choices = owned + set.size();
        if (choices == 0) {
            return null;
        }
        final int choice = random.nextInt(choices);
        if (choice >= owned) {
            return set.get(choice - owned);
        }
        return choice == 0 && active != null ? active : home;
    }

    boolean hasStealableNodes() {
        if (hasNodes(active()) || hasNodes(home())) {
            return true;
        }
        for (int i = set.size() - 1; i >= 0; i--) {
            if (hasNodes(set.get(i))) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasNodes(@Nullable ProwsDeque deque) {
        return deque != null && !deque.isEmpty();
    }

    /** A worker that retires, or that dies and cannot be replaced, gives everything away. */
    void giveUpDeques() {
        cleanUpAfterDeadThread();
        final ProwsDeque visited = active();
        final ProwsDeque own = home();
        setActive(null);
        setHome(null);
        for (ProwsDeque deque : new @Nullable ProwsDeque[] {visited, own}) {
            if (deque != null) {
                thief.discard(deque);
            }
        }
    }

    // ---- what a running node asks of its worker ----

    /** A spawn: to the bottom of the active deque. */
    void push(Runnable node) {
        ownActive().pushBottom(node, pool);
        core.idle.signal();
    }

    Suspension openSuspension() {
        final ProwsDeque deque = ownActive();
        deque.openSuspension();
        opened++;
        counters.increment(Counter.SUSPENSIONS_OPENED);
        return new Suspension(core, deque);
    }

    /** Whether the node that is running should let others run now. Cheap if nobody waits. */
    boolean othersWait() {
        if (core.lanes.hasWakeUps()) {
            return true;
        }
        // The clock costs more than the rest: without arrivals it is read once in a while only.
        if (!core.lanes.hasArrivals() && ++checkpoints % CHECKPOINTS_PER_CLOCK != 0) {
            return false;
        }
        final long now = System.nanoTime();
        if (sliceOf != progress) { // the first look of this node
            sliceOf = progress;
            sliceBegan = now;
        }
        return now - sliceBegan > SLICE_NANOS && (core.lanes.hasArrivals() || hasNodes(active()) || hasNodes(home()));
    }

    private ProwsDeque ownActive() {
        final ProwsDeque deque = active();
        if (deque == null) {
            throw new IllegalStateException("the worker runs no node");
        }
        return deque;
    }

    // ---- what the watchdog and the statistics read ----

    private long progress() {
        return (long) PROGRESS.getOpaque(this);
    }

    /** Nodes started. */
    long nodesRun() {
        return (progress() + 1) / 2;
    }

    /** For the watchdog only: whether the worker is in the same node as the last time it asked. */
    boolean isStuckSinceLastLook() {
        final long seen = progress();
        final boolean stuck = (seen & 1) != 0 && seen == progressAtLastLook;
        progressAtLastLook = seen;
        return stuck;
    }

    @Nullable Thread thread() {
        return thread;
    }

    @Override
    public String toString() {
        final Thread thread = this.thread;
        return (thread == null ? "worker" : thread.getName())
                + "[" + ((progress() & 1) == 0 ? "idle" : "running") + ", nodes=" + nodesRun()
                + ", active=" + active() + (home() == null ? "" : ", home=" + home())
                + ", listed=" + set.size() + "]";
    }
}
