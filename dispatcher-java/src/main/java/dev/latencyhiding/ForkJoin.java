package dev.latencyhiding;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/** What {@link LatencyHidingScheduler} offers for fork-join beside {@link Fork#invoke}. */
final class ForkJoin {
    private ForkJoin() {}

    static void invokeAll(LatencyHidingScheduler scheduler, Runnable... nodes) {
        for (Runnable node : nodes) {
            Objects.requireNonNull(node, "node");
        }
        invokeRange(scheduler, nodes.clone(), 0, nodes.length);
    }

    /** On a worker of the scheduler. */
    static <T> List<Future<T>> invokeAll(LatencyHidingScheduler scheduler, Collection<? extends Callable<T>> tasks) {
        final List<FutureTask<T>> futures = new ArrayList<>(tasks.size());
        for (Callable<T> task : tasks) {
            futures.add(new FutureTask<>(task));
        }
        invokeAll(scheduler, futures.toArray(Runnable[]::new));
        return List.copyOf(futures);
    }

    /** Splits in two halves, again and again. */
    private static void invokeRange(LatencyHidingScheduler scheduler, Runnable[] nodes, int from, int to) {
        if (to - from > 1) {
            final int middle = (from + to) >>> 1;
            scheduler.invoke(
                    () -> invokeRange(scheduler, nodes, from, middle), () -> invokeRange(scheduler, nodes, middle, to));
        } else if (to > from) {
            if (Worker.current(scheduler.core()) != null) {
                nodes[from].run();
            } else {
                runOnWorker(scheduler, nodes[from]);
            }
        }
    }

    /** Waits until the body has run, and throws what it has thrown. */
    static void runOnWorker(LatencyHidingScheduler scheduler, Runnable body) {
        final LatencyHidingFuture<@Nullable Throwable> outcome = scheduler.supply(() -> {
            try {
                body.run();
                return null;
            } catch (Throwable error) { // thrown again where it is waited for
                return error;
            }
        });
        final Throwable error = outcome.join();
        if (error != null) {
            Theft.<RuntimeException>rethrow(error);
        }
    }
}
