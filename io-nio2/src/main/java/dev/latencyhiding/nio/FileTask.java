package dev.latencyhiding.nio;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One operation on a file, on one of the {@link FileThreads}. It completes when nothing of it runs any
 * more: cancelling asks it to stop, and does not complete it.
 *
 * <pre>
 * state      run                          cancel
 * --------   --------------------------   -------------------------------------------
 * QUEUED     RUNNING                      CANCELLED; completed, as it has not begun
 * RUNNING    -                            STOPPING; the work stops at its next block
 * STOPPING   -                            no effect
 * CANCELLED  no effect                    no effect
 * </pre>
 */
final class FileTask<T extends @Nullable Object> extends CompletableFuture<T> implements Runnable {
    /** What the task does. Long work calls {@link FileTask#checkStopped} between its blocks. */
    @FunctionalInterface
    interface Work<T extends @Nullable Object> {
        @Nullable T run(FileTask<?> task) throws IOException;
    }

    private enum State {
        QUEUED,
        RUNNING,
        STOPPING,
        CANCELLED
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);
    private final String operation;
    private final Path path;
    private final Work<T> work;

    private FileTask(String operation, Path path, Work<T> work) {
        this.operation = operation;
        this.path = path;
        this.work = work;
    }

    /** Starts what a caller would call the operation, on the file of this path: errors name both. */
    static <T extends @Nullable Object> FileTask<T> start(String operation, Path path, Work<T> work) {
        return start(FileThreads.shared(), operation, path, work);
    }

    static <T extends @Nullable Object> FileTask<T> start(Executor threads, String operation, Path path, Work<T> work) {
        final FileTask<T> task = new FileTask<>(operation, path, work);
        threads.execute(task);
        return task;
    }

    @Override
    public void run() {
        if (!state.compareAndSet(State.QUEUED, State.RUNNING)) {
            return;
        }
        final @Nullable T value;
        try {
            value = work.run(this);
        } catch (Throwable e) { // whatever it throws is the outcome, an OutOfMemoryError too
            completeExceptionally(FileErrors.explained(operation, path, e));
            return;
        }
        complete(value);
    }

    /** Asks the work to stop. Always false: the operation is over when the future is completed. */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (state.compareAndSet(State.QUEUED, State.CANCELLED)) {
            super.cancel(false);
        } else {
            state.compareAndSet(State.RUNNING, State.STOPPING);
        }
        return false;
    }

    /** Nobody takes the result: what was opened or locked is closed, now or when the task is done. */
    @SuppressWarnings("FutureReturnValueIgnored") // a callback
    void closeUnclaimed() {
        whenComplete((value, error) -> {
            if (value instanceof AutoCloseable unclaimed) {
                try {
                    unclaimed.close();
                } catch (Exception e) { // there is nobody to tell; it is closed as far as it can be
                }
            }
        });
    }

    /** Called by the work between two blocks. */
    void checkStopped() {
        if (state.get() == State.STOPPING) {
            throw new CancellationException("the operation was cancelled");
        }
    }
}
