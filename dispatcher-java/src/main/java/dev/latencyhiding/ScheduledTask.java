package dev.latencyhiding;

import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A task of an {@link ExecutorView} that starts after a while, once or again and again. */
final class ScheduledTask<V> extends FutureTask<V> implements RunnableScheduledFuture<V> {
    /** Far enough, and the difference of two due times does not overflow. */
    private static final long MAX_DELAY_NANOS = Long.MAX_VALUE >> 1;

    private static final AtomicLong NUMBERS = new AtomicLong();

    private final ExecutorView view;

    /** Breaks ties: first made, first run. */
    private final long number = NUMBERS.getAndIncrement();

    /** Positive: a fixed rate. Negative: a fixed delay after each run. 0: runs once. */
    private final long period;

    private volatile long due;
    private volatile @Nullable Run next;

    ScheduledTask(ExecutorView view, Callable<V> body, long delayNanos, long period) {
        super(body);
        this.view = view;
        this.period = period;
        this.due = dueIn(delayNanos);
    }

    private static long dueIn(long nanos) {
        return System.nanoTime() + Math.max(0, Math.min(nanos, MAX_DELAY_NANOS));
    }

    /** The timer's entry of the next run. */
    private final class Run extends Timeout {
        private final ExecutorView.Entry entry = new ExecutorView.Entry(view, ScheduledTask.this);

        @Override
        protected void fire() {
            if (due - System.nanoTime() > 0) {
                ScheduledTask.this.cancel(false); // the scheduler terminates, and its timer with it
                return;
            }
            try {
                view.scheduler().executeResumed(entry);
            } catch (RejectedExecutionException terminated) {
                ScheduledTask.this.cancel(false);
            }
        }

        void withdraw() {
            cancel();
            view.forget(entry);
        }
    }

    void start() {
        final Run run = new Run();
        view.accept(run.entry);
        try {
            startTimer(run);
        } catch (RejectedExecutionException terminated) {
            view.forget(run.entry);
            throw terminated;
        }
    }

    private void startTimer(Run run) {
        next = run;
        view.scheduler().after(due - System.nanoTime(), TimeUnit.NANOSECONDS, run);
        if (isCancelled()) { // perhaps before there was a timer
            run.withdraw();
        }
    }

    @Override
    public void run() {
        if (!isPeriodic()) {
            super.run();
        } else if (runAndReset()) {
            startAgain();
        }
    }

    private void startAgain() {
        due = period > 0 ? due + period : dueIn(-period);
        final Run run = new Run();
        if (!view.tryAcceptAgain(run.entry)) {
            cancel(false);
            return;
        }
        try {
            startTimer(run);
        } catch (RejectedExecutionException terminated) {
            view.forget(run.entry);
            cancel(false);
        }
    }

    /** Called when it has ended in any way. */
    @Override
    protected void done() {
        final Run run = next;
        if (run != null && isCancelled()) {
            run.withdraw();
        }
    }

    /** It was handed back and will not be started by the timer. */
    void withdrawTimer() {
        final Run run = next;
        if (run != null) {
            run.cancel();
        }
    }

    @Override
    public boolean isPeriodic() {
        return period != 0;
    }

    @Override
    public long getDelay(TimeUnit unit) {
        return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
        if (other instanceof ScheduledTask<?> task) {
            final long earlier = due - task.due;
            return earlier != 0 ? Long.signum(earlier) : Long.compare(number, task.number);
        }
        return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }
}
