package dev.latencyhiding;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The timer's entry for a future that is completed after a while, and the callback that withdraws it when
 * the future is done before: one object for both.
 */
abstract class FutureTimeout extends Timeout implements BiConsumer<@Nullable Object, @Nullable Throwable> {
    private final LatencyHidingScheduler scheduler;
    private final long began = System.nanoTime();
    private final long nanos;

    FutureTimeout(LatencyHidingScheduler scheduler, long nanos) {
        this.scheduler = scheduler;
        this.nanos = nanos;
    }

    /** The time has come. See {@link Timeout#fire} for the thread. */
    abstract void expire();

    /** The scheduler has terminated, and its timer with it, so much before the time. */
    abstract void goOnWithoutScheduler(long nanosLeft);

    @SuppressWarnings("FutureReturnValueIgnored") // a callback
    final void startFor(CompletableFuture<?> future) {
        if (future.isDone()) {
            return;
        }
        try {
            scheduler.after(nanos, TimeUnit.NANOSECONDS, this);
        } catch (RejectedExecutionException terminated) {
            goOnWithoutScheduler(nanos);
            return;
        }
        future.whenComplete(this);
    }

    @Override
    public final void accept(@Nullable Object value, @Nullable Throwable error) {
        cancel();
    }

    @Override
    protected final void fire() {
        final long left = nanos - (System.nanoTime() - began);
        if (left <= 0) {
            expire();
        } else {
            goOnWithoutScheduler(left);
        }
    }
}
