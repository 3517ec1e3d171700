package dev.latencyhiding;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** What the workers of one scheduler share, and the ways into it from other threads. */
final class SchedulerCore {
    final Workers workers = new Workers();
    final Lanes lanes = new Lanes();
    final Counters.Shared sharedCounters = new Counters.Shared();
    final IdleWorkers idle;
    final LifeCycle lifeCycle;
    final Watchdog watchdog;
    final Guests guests = new Guests(this);

    /** The way in that users hold; null in tests that have none. Set before the workers start. */
    @Nullable LatencyHidingScheduler scheduler;

    private final SchedulerConfig config;
    private final Algorithm algorithm;
    final Timer timer;
    private final AtomicInteger workersMade = new AtomicInteger();
    private final AtomicInteger liveThreads = new AtomicInteger();
    private final CountDownLatch allThreadsEnded = new CountDownLatch(1);

    /** How many spare workers should retire. */
    private final AtomicInteger surplus = new AtomicInteger();

    /** Nodes run by workers that have retired. */
    private volatile long retiredNodes;

    /** After shutdownNow: only what is queued is run, and open suspensions are not waited for. */
    private volatile boolean abandoned;

    SchedulerCore(SchedulerConfig config) {
        this.config = config;
        this.algorithm = Algorithm.of(config.policy(), this);
        this.watchdog = new Watchdog(this);
        this.timer = new Timer(config.name() + "-timer", config.parallelism());
        // Half of the workers may search at a time, as in Tokio and Go.
        final int maxSearchers = Math.max(1, config.parallelism() / 2);
        this.idle = new IdleWorkers(maxSearchers, this::hasWork, StackRoom::toWake, watchdog::notice);
        this.lifeCycle = new LifeCycle(config.name(), this::isQuiescent, this::onTerminated);
    }

    void start() {
        Fork.load();
        for (int i = 0; i < config.parallelism(); i++) {
            workers.add(newWorker(false)); // all before the first runs: victims are all P
        }
        final Worker[] all = workers.all();
        int started = 0;
        try {
            for (; started < all.length; started++) {
                startThread(all[started]);
            }
            watchdog.start(config.name() + "-watchdog");
        } catch (Throwable noMoreThreads) {
            for (; started < all.length; started++) {
                workers.remove(all[started], all[started].random);
            }
            lifeCycle.shutdown();
            throw noMoreThreads;
        }
    }

    String name() {
        return config.name();
    }

    int parallelism() {
        return config.parallelism();
    }

    Algorithm algorithm() {
        return algorithm;
    }

    // ---- work ----

    /** From a worker a spawn, from any other thread an arrival. */
    void execute(Runnable node) {
        if (resumesCarried(node)) {
            return;
        }
        final Worker worker = Worker.current(this);
        if (worker != null) {
            spawn(worker, node);
        } else {
            arrive(node);
        }
    }

    /** As execute, but from other threads a wake-up. */
    void executeResumed(Runnable node) {
        if (resumesCarried(node)) {
            return;
        }
        final Worker worker = Worker.current(this);
        if (worker != null) {
            spawn(worker, node);
            return;
        }
        lifeCycle.enterWithNewWork();
        try {
            publishWakeUp(node);
        } finally {
            lifeCycle.exit();
        }
    }

    /** From a worker a node that yields, from any other thread an arrival. */
    void executeFairly(Runnable node) {
        final Worker worker = Worker.current(this);
        if (worker != null) {
            requireNotAbandoned();
            worker.runAfterOthers(node);
        } else {
            arrive(node);
        }
    }

    private void spawn(Worker worker, Runnable node) {
        requireNotAbandoned();
        worker.push(node);
    }

    /** After shutdownNow workers are refused as well: else a node that goes on for ever would hold up the end. */
    private void requireNotAbandoned() {
        if (abandoned) {
            throw lifeCycle.rejection();
        }
    }

    /** Whether the calling thread is about to resume a suspension, for which this is the node. */
    private boolean resumesCarried(Runnable node) {
        final Suspension carried = LibraryThread.carried();
        return carried != null && carried.resumeCarried(this, node);
    }

    private void arrive(Runnable node) {
        lifeCycle.enterWithNewWork();
        try {
            publishArrival(node);
        } finally {
            lifeCycle.exit();
        }
    }

    /** For callers that were admitted, or are workers. */
    void publishArrival(Runnable node) {
        lanes.offerArrival(node);
        idle.signal();
    }

    private void publishWakeUp(Runnable node) {
        lanes.offerWakeUp(node);
        idle.signal();
    }

    boolean hasWork() {
        return !lanes.isEmpty() || workers.haveNodes();
    }

    /** As {@link #hasWork}, but for nodes that are alone in the deque of a worker. */
    boolean hasSpareWork() {
        return !lanes.isEmpty() || workers.haveSpareNodes();
    }

    void start(Timeout timeout, long nanos) {
        final Worker worker = Worker.current(this);
        timer.start(timeout, nanos, worker == null ? 0 : worker.id);
    }

    // ---- suspensions: Algorithm 2 ----

    Suspension openDetached() {
        lifeCycle.enterWithNewWork();
        try {
            sharedCounters.increment(Counter.SUSPENSIONS_OPENED);
            return new Suspension(this, null);
        } finally {
            lifeCycle.exit();
        }
    }

    /** The callback. Returns false if the suspension had ended. */
    boolean resume(Suspension suspension, Runnable node) {
        final Worker worker = Worker.current(this);
        if (worker != null) {
            return resumeAdmitted(suspension, node, worker);
        }
        try {
            lifeCycle.enterWithResumed();
        } catch (RejectedExecutionException terminated) {
            if (suspension.isOpen()) {
                throw terminated;
            }
            return false; // somebody else ended it, and so the scheduler could terminate
        }
        try {
            return resumeAdmitted(suspension, node, null);
        } finally {
            lifeCycle.exit();
        }
    }

    private boolean resumeAdmitted(Suspension suspension, Runnable node, @Nullable Worker worker) {
        if (!suspension.tryResume(node)) {
            return false;
        }
        final Counters counters = countersOf(worker);
        // Before the node is published: the worker that runs it may be the last one awake, and it must
        // not find the suspension open when it looks whether this was the end.
        counters.increment(Counter.SUSPENSIONS_RESUMED);
        if (suspension.deque == null) {
            suspension.takeNode(); // lest whoever holds the suspension keeps the node alive
            if (LibraryThread.carried() == suspension) {
                publishWakeUp(node);
            } else {
                publishArrival(node);
            }
            return true;
        }
        algorithm.resume(suspension, suspension.deque, counters);
        return true;
    }

    /**
     * @param bound whether its deque waited for it
     * @param alone whether it stood for an empty one
     */
    void release(Suspension suspension, boolean bound, boolean alone) {
        final Counters counters = countersOf(Worker.current(this));
        if (alone) {
            counters.moved(DequeState.SUSPENDED, DequeState.ACTIVE);
        }
        if (bound && suspension.deque != null) {
            algorithm.release(suspension.deque, counters);
        }
        counters.increment(Counter.SUSPENSIONS_RELEASED);
        lifeCycle.tryTerminate();
    }

    private Counters countersOf(@Nullable Worker worker) {
        return worker == null ? sharedCounters : worker.counters;
    }

    // ---- the end ----

    void shutdownAbandoningSuspensions() {
        abandoned = true;
        algorithm.abandonSuspensions();
        lifeCycle.shutdown();
    }

    void shutdownNow() {
        shutdownAbandoningSuspensions();
        for (Worker worker : workers.withGuests()) {
            final Thread thread = worker.thread();
            if (thread != null) {
                thread.interrupt();
            }
        }
    }

    boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return allThreadsEnded.await(timeout, unit);
    }

    boolean allThreadsEnded() {
        return allThreadsEnded.getCount() == 0;
    }

    boolean isAbandoned() {
        return abandoned;
    }

    /**
     * Whether every worker sleeps, and there is nothing to do nor to wait for. A suspension is counted as released
     * after the worker that has to see to its deque was woken. So suspensions are counted first, and if all had ended
     * and none was opened since, that worker is not among the sleepers any more, or has the errand.
     *
     * <p>A worker that has announced that it sleeps, sees a node and takes it is counted as a sleeper first, and later
     * the node is not to be seen any more. So the list of sleepers must be the same before and after.
     */
    boolean isQuiescent() {
        final long ended = endedSuspensions();
        final long opened = sum(Counter.SUSPENSIONS_OPENED);
        final long changes = idle.changes();
        return (abandoned || opened == ended)
                && guests.active() == 0 // before the rest (G2)
                && idle.sleepers() == workers.count()
                && !hasWork()
                && !workers.haveErrands()
                && (abandoned || opened == sum(Counter.SUSPENSIONS_OPENED))
                && changes == idle.changes();
    }

    private void onTerminated() {
        for (Worker worker : workers.all()) {
            idle.wakeThis(worker.sleeper);
        }
        watchdog.stop();
        timer.stop();
    }

    // ---- threads ----

    private Worker newWorker(boolean spare) {
        final int id = workersMade.incrementAndGet();
        return algorithm.newWorker(id, config.seed() + id, newGate(), spare);
    }

    /** Called by {@link Guests}. */
    ProwsWorker addGuest() {
        final ProwsWorker guest = (ProwsWorker) newWorker(false);
        workers.addGuest(guest);
        return guest;
    }

    Gate newGate() {
        return config.gates().get();
    }

    /** Where exceptions of nodes go: a guest's thread does not have the scheduler's handler. */
    Thread.UncaughtExceptionHandler handlerOn(Thread thread) {
        final Thread.UncaughtExceptionHandler handler = config.handler();
        return handler != null ? handler : thread.getUncaughtExceptionHandler();
    }

    private void startThread(Worker worker) {
        final String kind = worker.spare ? "-spare-" : "-worker-";
        final Thread thread =
                new WorkerThread(worker, config.name() + kind + worker.id, config.daemon(), config.handler());
        liveThreads.incrementAndGet();
        try {
            thread.start();
        } catch (Throwable noThread) {
            liveThreads.decrementAndGet();
            throw noThread;
        }
    }

    /** Called last by each worker's thread. One that died of an error is replaced: its deques live on. */
    void threadEnds(Worker worker, boolean finished) {
        try {
            if (!finished) {
                startThread(worker);
            }
        } catch (Throwable noThread) {
            retire(worker); // the watchdog will try to add another
            throw noThread;
        } finally {
            if (liveThreads.decrementAndGet() == 0 && lifeCycle.isTerminated()) {
                allThreadsEnded.countDown();
            }
        }
    }

    /** Called by the watchdog. */
    void addSpareWorker() {
        final Worker worker = newWorker(true);
        workers.add(worker);
        try {
            startThread(worker);
        } catch (OutOfMemoryError noThread) { // go on without; the watchdog will try again
            workers.remove(worker, worker.random);
            lifeCycle.tryTerminate();
        }
    }

    int maxSpareWorkers() {
        return config.maxSpareWorkers();
    }

    /** Called by the watchdog: so many spare workers are not needed any more. */
    void setSurplus(int count) {
        surplus.set(count);
        if (count > 0) {
            for (Worker worker : workers.all()) {
                if (worker.spare) {
                    idle.wakeThis(worker.sleeper);
                }
            }
        }
    }

    /** Called by a spare worker between nodes. Returns true if it must end now. */
    boolean tryRetire(Worker worker) {
        if (surplus.get() <= 0 || surplus.getAndDecrement() <= 0) {
            return false;
        }
        retire(worker);
        return true;
    }

    /** On the worker's thread. */
    private void retire(Worker worker) {
        worker.giveUpDeques();
        synchronized (this) {
            workers.remove(worker, worker.random);
            for (Counter counter : Counter.values()) {
                sharedCounters.add(counter, worker.counters.get(counter));
            }
            retiredNodes += worker.nodesRun();
        }
        lifeCycle.tryTerminate();
    }

    // ---- counting ----

    long openSuspensions() {
        final long ended = endedSuspensions(); // first: so the result is never too small
        return sum(Counter.SUSPENSIONS_OPENED) - ended;
    }

    private long endedSuspensions() {
        return sum(Counter.SUSPENSIONS_RESUMED) + sum(Counter.SUSPENSIONS_RELEASED);
    }

    synchronized long nodesRun() {
        long nodes = retiredNodes;
        for (Worker worker : workers.withGuests()) {
            nodes += worker.nodesRun();
        }
        return nodes;
    }

    int ownedDeques() {
        int owned = 0;
        for (Worker worker : workers.withGuests()) {
            owned += isOwned(worker.active()) + isOwned(worker.home());
        }
        return owned;
    }

    private static int isOwned(@Nullable ProwsDeque deque) {
        return deque != null && deque.state() == DequeState.ACTIVE ? 1 : 0;
    }

    synchronized long sum(Counter counter) {
        long sum = sharedCounters.get(counter);
        for (Worker worker : workers.withGuests()) {
            sum += worker.counters.get(counter);
        }
        return sum;
    }

    @Override
    public String toString() {
        return "\"" + config.name() + "\"[" + lifeCycle + ", parallelism=" + config.parallelism() + "]";
    }
}
