package dev.latencyhiding;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * What {@link LatencyHidingScheduler#asExecutorService()} gives: tasks of one owner on a scheduler that others
 * use as well, with a life cycle of their own.
 *
 * <pre>
 * state      new tasks   tasks that wait        delayed    periodic     left when
 * --------   ---------   --------------------   --------   ----------   --------------------------
 * RUNNING    accepted    run                    run        run          shutdown, shutdownNow
 * SHUTDOWN   refused     run                    run        cancelled    shutdownNow
 * STOPPED    refused     handed back, all of them: nothing begins       never
 * </pre>
 *
 * It has terminated when it is not RUNNING and no task waits or runs.
 */
final class ExecutorView extends AbstractExecutorService implements ScheduledExecutorService {
    private enum State {
        RUNNING,
        SHUTDOWN,
        STOPPED
    }

    private final LatencyHidingScheduler scheduler;
    private final CountDownLatch terminated = new CountDownLatch(1);

    /** Accepted and not begun, in order. Guarded by this, as all that follows. */
    private final Set<Entry> waiting = new LinkedHashSet<>();

    /** With the threads that run them. */
    private final Map<Entry, Thread> running = new HashMap<>();

    private State state = State.RUNNING;

    ExecutorView(LatencyHidingScheduler scheduler) {
        this.scheduler = scheduler;
    }

    /** One run of a task, from acceptance to its end. */
    static final class Entry implements Runnable {
        private final ExecutorView view;
        private final Runnable task;

        Entry(ExecutorView view, Runnable task) {
            this.view = view;
            this.task = task;
        }

        @Override
        public void run() {
            if (view.begin(this)) {
                try {
                    task.run();
                } finally {
                    view.end(this);
                }
            }
        }
    }

    // ---- tasks ----

    @Override
    public void execute(Runnable task) {
        final Entry entry = new Entry(this, Objects.requireNonNull(task, "task"));
        accept(entry);
        try {
            scheduler.execute(entry);
        } catch (Throwable refused) {
            forget(entry);
            throw refused;
        }
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        return schedule(Executors.callable(task), delay, unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        return start(new ScheduledTask<>(this, task, unit.toNanos(delay), 0));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long initialDelay, long period, TimeUnit unit) {
        requirePositive("period", period);
        return start(
                new ScheduledTask<>(this, Executors.callable(task), unit.toNanos(initialDelay), unit.toNanos(period)));
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long initialDelay, long delay, TimeUnit unit) {
        requirePositive("delay", delay);
        return start(
                new ScheduledTask<>(this, Executors.callable(task), unit.toNanos(initialDelay), -unit.toNanos(delay)));
    }

    private static void requirePositive(String what, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(what + " must be positive: " + value);
        }
    }

    private static <V> ScheduledFuture<V> start(ScheduledTask<V> task) {
        task.start();
        return task;
    }

    LatencyHidingScheduler scheduler() {
        return scheduler;
    }

    // ---- entries ----

    synchronized void accept(Entry entry) {
        if (!tryAcceptAgain(entry)) {
            throw new RejectedExecutionException("an executor view of scheduler \"" + scheduler.name()
                    + "\" was shut down and accepts no new task: " + entry.task);
        }
    }

    /** The next run of a periodic task. */
    synchronized boolean tryAcceptAgain(Entry entry) {
        return state == State.RUNNING && waiting.add(entry);
    }

    /** An entry that will not be run. */
    synchronized void forget(Entry entry) {
        if (waiting.remove(entry)) {
            tryTerminate();
        }
    }

    private synchronized boolean begin(Entry entry) {
        if (!waiting.remove(entry)) {
            return false; // withdrawn, or handed back by shutdownNow
        }
        running.put(entry, Thread.currentThread());
        return true;
    }

    private synchronized void end(Entry entry) {
        running.remove(entry);
        tryTerminate();
    }

    // ---- life cycle ----

    @Override
    public void shutdown() {
        final List<ScheduledTask<?>> periodic = new ArrayList<>();
        synchronized (this) {
            if (state == State.RUNNING) {
                state = State.SHUTDOWN;
                for (Entry entry : waiting) {
                    if (entry.task instanceof ScheduledTask<?> task && task.isPeriodic()) {
                        periodic.add(task);
                    }
                }
            }
        }
        periodic.forEach(task -> task.cancel(false)); // whoever waits for it is told, without the lock
        tryTerminate();
    }

    @Override
    public List<Runnable> shutdownNow() {
        final List<Runnable> handedBack = new ArrayList<>();
        synchronized (this) {
            state = State.STOPPED;
            waiting.forEach(entry -> handedBack.add(entry.task));
            waiting.clear();
            running.values().forEach(Thread::interrupt); // under the lock: the task has not ended
        }
        for (Runnable task : handedBack) {
            if (task instanceof ScheduledTask<?> scheduled) {
                scheduled.withdrawTimer();
            }
        }
        tryTerminate();
        return handedBack;
    }

    private synchronized void tryTerminate() {
        if (state != State.RUNNING && waiting.isEmpty() && running.isEmpty()) {
            terminated.countDown();
        }
    }

    @Override
    public synchronized boolean isShutdown() {
        return state != State.RUNNING;
    }

    @Override
    public boolean isTerminated() {
        return terminated.getCount() == 0;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return terminated.await(timeout, unit);
    }

    @Override
    public synchronized String toString() {
        return "ExecutorView[" + (isTerminated() ? "TERMINATED" : state) + ", waiting=" + waiting.size() + ", running="
                + running.size() + ", " + scheduler + "]";
    }
}
