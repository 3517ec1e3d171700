package dev.latencyhiding;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the workers a hundred times a second while they run nodes. A worker whose thread blocks or
 * waits inside one node from one look to the next is replaced by a spare one, if nobody is idle; when
 * it goes on, a spare one retires. So P workers keep running nodes although some of them wait for a
 * lock, a {@code Future.get()} or each other. If all P compute on and on, one spare worker sees to the
 * wake-ups that wait meanwhile.
 *
 * <p>It sleeps while there are no spare workers, no long nodes and one of the workers does: that one can
 * take the place of a blocked one. So a trickle of work, which keeps a worker busy now and then, does not
 * wake it.
 */
final class Watchdog {
    private static final long MIN_PERIOD_NANOS = 10_000_000;
    private static final long MAX_PERIOD_NANOS = 40_000_000;

    /** Looks in vain before it sleeps: a trickle of work for a single worker must not wake it each time. */
    private static final int IDLE_LOOKS = 4;

    private final SchedulerCore core;
    private volatile @Nullable Thread thread;
    private volatile boolean asleep;
    private volatile boolean stopped;
    private int surplusBefore;
    private boolean wakeUpsWaited;

    /** Workers whose nodes have said that they block. */
    private final AtomicInteger declared = new AtomicInteger();

    Watchdog(SchedulerCore core) {
        this.core = core;
    }

    void start(String name) {
        final Thread thread = new LibraryThread(name, true) {
            @Override
            public void run() {
                Watchdog.this.run();
            }
        };
        this.thread = thread;
        thread.start();
    }

    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    /** All workers may be busy now, or there is a spare one. */
    void notice() {
        if (asleep && isNeeded()) {
            asleep = false;
            LockSupport.unpark(thread);
        }
    }

    /** The running node is about to block its thread: a spare worker takes its place at once. */
    void beginBlocking() {
        addSpareWorkers(declared.incrementAndGet());
        notice(); // so that they retire
    }

    void endBlocking() {
        declared.decrementAndGet();
    }

    /** If nobody is idle. Synchronized, so that there are never more than allowed. */
    private synchronized void addSpareWorkers(int blocked) {
        if (core.idle.sleepers() == 0) {
            for (int missing = needed(blocked) - core.workers.count(); missing > 0; missing--) {
                core.addSpareWorker();
            }
        }
    }

    private int needed(int blocked) {
        return core.parallelism() + Math.min(blocked, core.maxSpareWorkers());
    }

    private void run() {
        long period = MIN_PERIOD_NANOS;
        int idleLooks = 0;
        while (!stopped) {
            LockSupport.parkNanos(this, period);
            Thread.interrupted();
            final boolean needed = look() || isNeeded();
            period = needed ? MIN_PERIOD_NANOS : Math.min(2 * period, MAX_PERIOD_NANOS);
            idleLooks = needed ? 0 : idleLooks + 1;
            if (idleLooks >= IDLE_LOOKS) {
                sleep();
                idleLooks = 0;
            }
        }
    }

    private void sleep() {
        asleep = true;
        // volatile store, then look again: a worker that was missed here sees asleep in notice
        while (asleep && !isNeeded() && !stopped) {
            LockSupport.park(this);
            Thread.interrupted();
        }
        asleep = false;
    }

    /** Nobody is idle who could stand in for a blocked worker, or there are spare ones to retire. */
    private boolean isNeeded() {
        return core.idle.sleepers() == 0 || core.workers.count() != core.parallelism();
    }

    /** Returns whether a worker is in the same node as at the last look. */
    private boolean look() {
        final Worker[] workers = core.workers.all();
        int stuck = 0;
        int blocked = 0;
        for (Worker worker : workers) {
            if (worker.isStuckSinceLastLook()) {
                stuck++;
                shareYielded(worker);
                blocked += isBlocked(worker) ? 1 : 0;
            }
        }
        final boolean allCompute = stuck - blocked >= core.parallelism();
        blocked = Math.max(blocked, declared.get()) + (wakeUpsNeedWorker(allCompute) ? 1 : 0);
        addSpareWorkers(blocked);
        final int excess = workers.length - needed(blocked);
        // Two looks in a row: a worker that blocks again and again keeps its spare.
        core.setSurplus(Math.max(0, Math.min(excess, surplusBefore)));
        surplusBefore = excess;
        if (core.idle.sleepers() > 0 && core.hasWork()) {
            core.idle.signal(); // on behalf of a fork that was announced without a fence
        }
        return stuck > 0;
    }

    /** What yielded on a stuck worker: others would find it only when they have nothing to do. */
    private void shareYielded(Worker worker) {
        if (worker.yielded.isArrayEmpty()) {
            return;
        }
        try {
            core.lifeCycle.enterWithResumed(); // so that it does not end while a node is in nobody's queue
        } catch (RejectedExecutionException terminated) {
            return;
        }
        try {
            worker.shareYielded();
        } finally {
            core.lifeCycle.exit();
        }
    }

    /**
     * Whether one spare worker should see to the wake-ups, because P others are all in nodes that go on and on: it
     * comes when wake-ups have waited over two looks, and stays as long as those others compute. So does one that
     * was there before: nobody would take what it leaves.
     */
    private boolean wakeUpsNeedWorker(boolean allCompute) {
        final boolean wait = allCompute && core.lanes.hasWakeUps();
        final boolean needed = allCompute && (core.workers.count() > core.parallelism() || (wait && wakeUpsWaited));
        wakeUpsWaited = wait;
        return needed;
    }

    private static boolean isBlocked(Worker worker) {
        final Thread thread = worker.thread();
        if (thread == null || worker.napping) {
            return false;
        }
        return switch (thread.getState()) {
            case BLOCKED, WAITING, TIMED_WAITING -> true;
            case NEW, RUNNABLE, TERMINATED -> false;
        };
    }
}
