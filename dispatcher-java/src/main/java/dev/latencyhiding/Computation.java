package dev.latencyhiding;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture.AsynchronousCompletionTask;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** A node that computes the result of a future, unless the future is done before it starts. */
final class Computation<T extends @Nullable Object> implements Runnable, AsynchronousCompletionTask {
    private final LatencyHidingFuture<T> future;
    private final Callable<? extends T> body;

    Computation(LatencyHidingFuture<T> future, Callable<? extends T> body) {
        this.future = future;
        this.body = body;
    }

    @Override
    public void run() {
        if (future.isDone()) {
            return;
        }
        final T value;
        try {
            value = body.call();
        } catch (Throwable error) { // whatever it is, it is the result; wrapped, as by supplyAsync
            future.completeExceptionally(error instanceof CompletionException ? error : new CompletionException(error));
            return;
        }
        future.complete(value);
    }
}
