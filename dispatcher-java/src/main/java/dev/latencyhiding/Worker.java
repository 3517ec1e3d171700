package dev.latencyhiding;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One of the P places where nodes run: what all {@linkplain Algorithm algorithms} have in common. A
 * subclass has the scheduling loop; what it does when a node returns blocked, where it looks for the
 * next and whom it steals from. Finding nothing anywhere, a worker sleeps ({@link IdleWorkers}).
 */
/*
 * Implementation notes
 *
 * Between two nodes a loop calls methods of its own final class and final ones of this class only: so
 * that there are several algorithms costs none of them a virtual call, also if a process uses them all.
 *
 * Invariants
 *   P1  While a node runs, active is not null, and the worker owns active and home.
 *   P2  A worker that is announced as sleeping holds no node. Termination relies on it.
 */
abstract class Worker extends WorkerPadding {
    /** Rounds of random victims before a sweep. */
    private static final int SEARCH_ROUNDS = 2;

    /** Spin hints between two rounds. With 4 rounds of 64 a task per millisecond cost a tenth more CPU. */
    private static final int SPINS_PER_ROUND = 16;

    /**
     * How long to leave lone nodes to workers that take them quickly: twice as long with each nap that follows another.
     * With naps of 0.1 ms only, the napper used 15 % of a core.
     */
    private static final long FIRST_NAP_NANOS = 100_000;

    private static final long LONGEST_NAP_NANOS = 1_000_000;

    /** How long a node that asks may compute while others wait. */
    private static final long SLICE_NANOS = 1_000_000;

    private static final VarHandle PROGRESS = ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "progress", VarHandle.class, Worker.class, long.class);

    final SchedulerCore core;
    final int id;
    final Counters.OfWorker counters = new Counters.OfWorker();
    final XorShift random;
    final DequePool pool = new DequePool();
    final IdleWorkers.Sleeper sleeper;
    final TimerHelper timerHelper;

    /** Not one of the first P: it stands in for a blocked worker and retires when that goes on. */
    final boolean spare;

    /** Goes up by one when a node starts and when it ends: odd inside a node. Written by the worker only. */
    private long progress;

    /** Belongs to the watchdog. */
    private long progressAtLastLook;

    private volatile @Nullable Thread thread;

    /** The last suspension opened by the node that is running. */
    private @Nullable Suspension opened;

    /** How many thieves of its forks the worker helps at present, one inside the other ({@link Theft}). */
    int helping;

    /** Waits for such a thief, for a moment only: no spare worker is needed. Read by the watchdog. */
    volatile boolean napping;

    private final Pace checkpoints = new Pace(63);
    private long sliceOf;
    private long sliceBegan;

    /** Whose turn it is in pollOutside. */
    private boolean leftFirst;

    private long napNanos = FIRST_NAP_NANOS;

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
        this.timerHelper = new TimerHelper(core.timer);
    }

    /** The worker that the current thread is, as a guest perhaps, of whatever scheduler; null if it is none. */
    static @Nullable Worker current() {
        return LibraryThread.worker();
    }

    /** As {@link #current()}, but of the given scheduler only. */
    static @Nullable Worker current(SchedulerCore core) {
        final Worker worker = current();
        return worker != null && worker.core == core ? worker : null;
    }

    // ---- what an algorithm decides ----

    /** The scheduling loop. Returns when the scheduler has terminated or this spare worker retires. */
    abstract void schedule();

    /** Runs a node, and does what the algorithm does if it returns blocked. The loop's step. */
    abstract void execute(Runnable node);

    /** The second half of {@link #execute}: the node has returned, or its thread has died. */
    abstract void endNode();

    /** The next node, without stealing; null if there is none. */
    abstract @Nullable Runnable next();

    /** One attempt at a random victim. */
    abstract @Nullable Runnable stealOnce();

    /** Every place that may have a node, until there is one. */
    abstract @Nullable Runnable sweep();

    /** A worker that retires, or that dies and cannot be replaced, gives everything away. */
    abstract void giveUpDeques();

    /** Whether there is a node that other workers could take from this one. */
    boolean hasStealableNodes() {
        return hasNodes(active()) || hasNodes(home()) || hasNodes(yielded) || hasListedNodes();
    }

    /** As {@link #hasStealableNodes}, but for a node that is alone in a deque of the worker's own. */
    final boolean hasSpareNodes() {
        return hasSpareNodes(active()) || hasSpareNodes(home()) || hasSpareNodes(yielded) || hasListedNodes();
    }

    private static boolean hasSpareNodes(@Nullable ProwsDeque deque) {
        return deque != null && deque.size() > 1;
    }

    private boolean hasListedNodes() {
        for (int i = set.size() - 1; i >= 0; i--) {
            if (hasNodes(set.get(i))) {
                return true;
            }
        }
        return false;
    }

    /** Whether there is something that only this worker can do, and that it must see to before it sleeps. */
    boolean hasErrands() {
        return false;
    }

    /**
     * Whether the last search has left nodes to workers that take them as quickly themselves. Asked once for each
     * search.
     */
    boolean leftNodesToOwners() {
        return false;
    }

    // ---- running nodes ----

    /** The body of the worker's thread. */
    final void run() {
        setThread(Thread.currentThread());
        cleanUpAfterDeadThread();
        schedule();
    }

    /** Of a thread that died of an error of the scheduler's own; nodes cannot kill one. */
    final void cleanUpAfterDeadThread() {
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

    /** The first half of {@link #execute}. */
    final void runToReturn(Runnable node) {
        Thread.interrupted(); // an interrupt that came since was meant for an earlier node
        PROGRESS.setOpaque(this, progress + 1);
        try {
            node.run();
        } catch (Throwable error) { // whatever it is, the worker lives
            report(error);
        }
    }

    /** To be called when a node has returned. The last suspension that it opened; or null. */
    final @Nullable Suspension returned() {
        PROGRESS.setOpaque(this, progress + 1);
        final Suspension last = opened;
        if (last != null) {
            opened = null;
        }
        return last;
    }

    private void report(Throwable error) {
        counters.increment(Counter.FAILED_NODES);
        try {
            final Thread thread = Thread.currentThread();
            core.handlerOn(thread).uncaughtException(thread, error);
        } catch (Throwable ignored) {
            // As the JVM does: an exception of the handler is ignored.
        }
    }

    // ---- stealing and sleeping ----

    /** For a worker whose {@link #next} found nothing. Returns null if it should look again, or end. */
    final @Nullable Runnable searchOrSleep() {
        searching = othersAreAwake() && core.idle.tryStartSearching();
        Runnable node = searching ? search() : null;
        if (node == null) {
            sleep();
            node = core.lifeCycle.isTerminated() ? null : search();
        }
        if (node != null) {
            napNanos = FIRST_NAP_NANOS;
        }
        searching = false;
        core.idle.stopSearching();
        return node;
    }

    /** If nobody else is, nothing will be spawned while this one searches: the look before sleeping is enough. */
    private boolean othersAreAwake() {
        return core.idle.sleepers() < core.workers.count() - 1;
    }

    /** Returns when there may be something to do. The worker is a searcher then. */
    private void sleep() {
        final boolean naps = leftNodesToOwners();
        announced = true;
        core.idle.announceSleep(sleeper, searching);
        // Terminated: a spare worker that was added too late would not be woken any more.
        if ((naps ? core.hasSpareWork() : core.hasWork()) || hasErrands() || core.lifeCycle.isTerminated()) {
            core.idle.cancelSleep(sleeper);
        } else if (naps) {
            core.idle.nap(sleeper, napNanos);
            napNanos = Math.min(2 * napNanos, LONGEST_NAP_NANOS);
        } else {
            napNanos = FIRST_NAP_NANOS;
            core.lifeCycle.tryTerminate();
            counters.increment(Counter.PARKS);
            core.idle.park(sleeper);
        }
        searching = true;
        announced = false;
    }

    private @Nullable Runnable search() {
        for (int round = 0; round < SEARCH_ROUNDS; round++) {
            Runnable node = next();
            for (int attempt = core.workers.count(); node == null && attempt > 0; attempt--) {
                node = stealOnce();
            }
            if (node != null) {
                return node;
            }
            for (int i = 0; i < SPINS_PER_ROUND; i++) {
                Thread.onSpinWait();
            }
        }
        return sweep();
    }

    /**
     * For algorithms without an order of their own for what comes from outside: the wake-ups, which are
     * nodes here, then left deques and arrivals in turn.
     */
    final @Nullable Object pollOutside() {
        final Object wakeUp = core.lanes.pollWakeUp();
        if (wakeUp != null) {
            counters.increment(Counter.WAKE_UPS);
            return ((Lanes.Entry) wakeUp).node;
        }
        leftFirst = !leftFirst;
        Object outside = leftFirst ? core.lanes.pollLeft() : core.lanes.pollArrival();
        if (outside == null) {
            outside = leftFirst ? core.lanes.pollArrival() : core.lanes.pollLeft();
        }
        if (outside != null) {
            counters.increment(Counter.ARRIVALS_RUN);
        }
        return outside;
    }

    /** For thieves: one of this worker's deques, owned or listed, each with the same probability. */
    @Nullable ProwsDeque chooseRandom(XorShift random) {
        final ProwsDeque active = active();
        final ProwsDeque home = home();
        final boolean hasYielded = hasNodes(yielded);
        final int owned = (active == null ? 0 : 1) + (home == null ? 0 : 1) + (hasYielded ? 1 : 0);
        final int choices = owned + set.size();
        if (choices == 0) {
            return null;
        }
        final int choice = random.nextInt(choices);
        if (choice >= owned) {
            return set.get(choice - owned);
        }
        if (hasYielded && choice == owned - 1) {
            return yielded;
        }
        return choice == 0 && active != null ? active : home;
    }

    final boolean isAtEmptyDeque() {
        return !hasNodes(active());
    }

    private static boolean hasNodes(@Nullable ProwsDeque deque) {
        return deque != null && !deque.isEmpty();
    }

    // ---- what a running node asks of its worker ----

    /** A node to run after others, which the running one lets go first. */
    void runAfterOthers(Runnable node) {
        core.publishArrival(node);
    }

    /** Any thread that keeps the scheduler from ending: what yielded here and waits is for all workers from now on. */
    final void shareYielded() {
        for (Runnable node; (node = yielded.popTop()) != null; ) {
            core.publishArrival(node);
        }
    }

    /** A spawn: to the bottom of the active deque. */
    final void push(Runnable node) {
        announce(ownActive().pushBottom(node, pool));
    }

    /** After a node was pushed. */
    final void announce(boolean lone) {
        if (lone) {
            core.idle.signalLone();
        } else {
            core.idle.signal();
        }
    }

    /** The right side of an invoke: to the bottom of the active deque. */
    final void fork(Fork fork) {
        ownActive().pushBottom(fork, pool);
        core.idle.signalFork();
    }

    /** Takes the fork back, if it is at the bottom of the active deque. */
    final boolean tryUnfork(Fork fork) {
        return ownActive().tryPopBottom(fork);
    }

    final Suspension openSuspension() {
        final Suspension suspension = newSuspension(ownActive(), opened);
        counters.increment(Counter.SUSPENSIONS_OPENED);
        opened = suspension;
        return suspension;
    }

    /**
     * A suspension of the running node. Most algorithms count at once what a deque waits for, and need not know the one
     * that the node opened before.
     */
    Suspension newSuspension(ProwsDeque deque, @Nullable Suspension before) {
        deque.openSuspension();
        return Suspension.bound(core, deque);
    }

    /** Whether the node that is running should let others run now. Cheap if nobody waits. */
    final boolean othersWait() {
        if (core.lanes.hasWakeUps()) {
            return true;
        }
        if (!checkpoints.isTime()) {
            return false;
        }
        final long now = System.nanoTime();
        checkpoints.looked(now);
        if (core.timer.isLate(now)) {
            return true; // between nodes the worker will see to it
        }
        if (sliceOf != progress) { // the first look of this node
            sliceOf = progress;
            sliceBegan = now;
        }
        return now - sliceBegan > SLICE_NANOS
                && (!core.lanes.isEmpty() || hasNodes(active()) || hasNodes(home()) || hasNodes(yielded));
    }

    final ProwsDeque ownActive() {
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

    final void setThread(@Nullable Thread thread) {
        this.thread = thread;
    }

    @Override
    public String toString() {
        final Thread thread = this.thread;
        return (thread == null ? "worker" : thread.getName())
                + "[" + ((progress() & 1) == 0 ? "idle" : "running") + ", nodes=" + nodesRun()
                + ", active=" + active() + (home() == null ? "" : ", home=" + home())
                + (yielded.size() == 0 ? "" : ", yielded=" + yielded.size()) + ", listed=" + set.size() + "]";
    }
}
