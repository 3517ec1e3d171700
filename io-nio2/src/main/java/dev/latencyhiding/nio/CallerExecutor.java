package dev.latencyhiding.nio;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The pool that a channel group is given: it has no threads for completion handlers, and lets the thread that
 * brings one run it. That is an I/O thread, which found the socket ready; or the thread that started an operation
 * which could be done at once.
 *
 * <p>Why not a fixed pool: a channel of such a group never tries an operation on the calling thread. Each write
 * would go to the I/O thread and back, though nearly every write can be done at once.
 */
/*
 * Implementation notes
 *
 * The JDK asks that a pool does not run a handler inside execute(), on the thread that calls it: the handler could
 * start the next operation, whose handler is run inside again, without end; and it would run inside a method of the
 * channel that has not returned. Both are avoided here. While a thread runs a handler, or is inside start(), where
 * all our operations are started, the handlers it brings are put aside, and run one after the other when it is
 * through. Only a call of the channel by others, outside of start(), may see its handler run before it returns; by
 * then the JDK has left all its locks, since it treats a thread of the pool in the same way.
 *
 * A thread that has run a handler counts as a thread of the group, for the JDK: it may run up to 16 handlers in a
 * row directly, without coming here.
 */
final class CallerExecutor extends AbstractExecutorService {
    /** What a thread is about, if it is running handlers or starting an operation. */
    private static final class Turn {
        boolean busy;

        /** Whether it is an I/O thread; null until it first comes here. */
        @Nullable Boolean polls;

        final ArrayDeque<Runnable> putAside = new ArrayDeque<>(2);
    }

    /** From {@link #isEnding} up to the method of the group that called {@link #execute}. */
    private static final int CALLS_FROM_GROUP = 4;

    private static final ThreadLocal<Turn> TURNS = ThreadLocal.withInitial(Turn::new);

    private final String name;
    private final AtomicInteger named = new AtomicInteger();
    private final Pollers pollers = new Pollers();
    private final StandIn standIn = new StandIn(pollers);
    private volatile boolean startsThreads = true;
    private volatile boolean shutdown;

    CallerExecutor(String name) {
        this.name = name;
    }

    /** Until this is called, what comes are the group's own tasks, which wait for the sockets for ever. */
    void threadsHaveStarted() {
        startsThreads = false;
    }

    /** Starts an operation. Handlers of what can be done at once are run when {@code call} has returned. */
    static void start(Runnable call) {
        final Turn turn = TURNS.get();
        if (turn.busy) {
            call.run();
            return;
        }
        final boolean interrupted = Thread.currentThread().isInterrupted();
        turn.busy = true;
        try {
            call.run();
        } finally {
            runPutAside(turn);
            if (interrupted) { // the JDK clears it after each handler, as on a thread of its own
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void execute(Runnable task) {
        if (startsThreads) {
            startPoller(task);
            return;
        }
        final Turn turn = TURNS.get();
        if (turn.busy) {
            turn.putAside.add(task);
            return;
        }
        if (turn.polls == null) {
            turn.polls = looksLikeIoThread();
        }
        if (turn.polls && isEnding()) {
            startPoller(task);
            return;
        }
        turn.busy = true;
        run(task);
        runPutAside(turn);
        if (turn.polls && !(Thread.currentThread() instanceof Poller)) {
            standIn.stepAside();
        }
    }

    private static void runPutAside(Turn turn) {
        for (Runnable task; (task = turn.putAside.poll()) != null; ) {
            run(task);
        }
        turn.busy = false;
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable error) { // of somebody's handler: an I/O thread must survive it
            final Thread thread = Thread.currentThread();
            try {
                thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
            } catch (Throwable ignored) {
                // As the JVM does: an exception of the handler is ignored.
            }
        }
    }

    private void startPoller(Runnable task) {
        pollers.add(nextName(), () -> {
            TURNS.get().polls = true;
            task.run();
        });
    }

    private String nextName() {
        return name + "-" + named.incrementAndGet();
    }

    /** Of the thread that the channel group made itself; it gets a name when it first comes here. */
    private boolean looksLikeIoThread() {
        final boolean polls = StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().endsWith("EventHandlerTask")));
        if (polls) {
            Thread.currentThread().setName(nextName());
        }
        return polls;
    }

    /** Whether an I/O thread that dies of a handler's exception asks for another in its place. */
    private static boolean isEnding() {
        return StackWalker.getInstance()
                .walk(frames -> frames.limit(CALLS_FROM_GROUP)
                        .anyMatch(frame -> frame.getMethodName().equals("threadExit")));
    }

    // ---- what the channel group asks of its pool when it is closed ----

    @Override
    public void shutdown() {
        shutdown = true;
        pollers.end();
        standIn.wakeUp();
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown();
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return shutdown;
    }

    @Override
    public boolean isTerminated() {
        return shutdown && pollers.haveStopped();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        final long end = System.nanoTime() + unit.toNanos(timeout);
        while (!isTerminated()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            Thread.sleep(1);
        }
        return true;
    }
}
