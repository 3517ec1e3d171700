package dev.latencyhiding.nio;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The I/O thread of the papers: a channel group with threads of its own, which wait for the sockets and put
 * whatever waits for them back onto its deque. They are daemons and sleep while nothing happens. One starts on
 * first use; another joins while those that take part are busy all the time, and it would be busy too.
 *
 * <p>Most programs need no group of their own: {@link #shared()} is the default everywhere.
 *
 * <p>In such a group an operation that can be done at once is done by the thread that starts it, and its
 * completion handler is run there as soon as the call that started it has returned from the channel. So reading
 * what has arrived, and writing to a peer that keeps up, costs a system call and no change of threads. Handlers of
 * one's own should be short, as on any I/O thread.
 */
public final class IoGroup implements AutoCloseable {
    private static final int DEFAULT_THREADS = Math.min(4, Runtime.getRuntime().availableProcessors());

    private static final AtomicInteger MADE = new AtomicInteger();

    private static volatile @Nullable IoGroup shared;

    private final String name;
    private final int threads;
    private final boolean closeable;
    private @Nullable AsynchronousChannelGroup channels;
    private boolean closed;

    private IoGroup(String name, int threads, boolean closeable) {
        this.name = name;
        this.threads = threads;
        this.closeable = closeable;
    }

    /**
     * The group of this process, with a thread for each processor, four at most. It cannot be closed.
     *
     * @return always the same instance
     */
    public static IoGroup shared() {
        final IoGroup made = shared;
        return made != null ? made : makeShared();
    }

    private static synchronized IoGroup makeShared() {
        IoGroup made = shared;
        if (made == null) {
            made = new IoGroup("LatencyHiding-io", DEFAULT_THREADS, false);
            shared = made;
        }
        return made;
    }

    /**
     * A group with threads of its own, one for each processor, four at most.
     *
     * @return a new group, to be closed in the end
     */
    public static IoGroup open() {
        return open("io-" + MADE.incrementAndGet(), DEFAULT_THREADS);
    }

    /**
     * A group with threads of its own.
     *
     * @param name of the threads, with a running number
     * @param threads from 1 to 64, not counting one that stands in while all others are in something long
     * @return a new group, to be closed in the end
     */
    public static IoGroup open(String name, int threads) {
        Objects.requireNonNull(name, "name");
        if (name.isBlank()) {
            throw new IllegalArgumentException("name must not be blank: \"" + name + "\"");
        }
        if (threads < 1 || threads > 64) {
            throw new IllegalArgumentException("threads must be from 1 to 64: " + threads);
        }
        return new IoGroup(name, threads, true);
    }

    /**
     * A new socket whose operations this group completes.
     *
     * @return an open channel, not connected
     * @throws IOException if there are too many open files, or the group was closed
     */
    public AsynchronousSocketChannel openSocket() throws IOException {
        try {
            return AsynchronousSocketChannel.open(channels());
        } catch (IOException e) {
            throw SocketFailures.of("open a socket", null, e);
        }
    }

    /**
     * A new listening socket whose operations this group completes.
     *
     * @return an open channel, not bound
     * @throws IOException if there are too many open files, or the group was closed
     */
    public AsynchronousServerSocketChannel openServerSocket() throws IOException {
        try {
            return AsynchronousServerSocketChannel.open(channels());
        } catch (IOException e) {
            throw SocketFailures.of("open a listening socket", null, e);
        }
    }

    /** Starts the threads on first use. */
    private synchronized AsynchronousChannelGroup channels() throws IOException {
        if (closed) {
            throw new ConnectionClosedException("open a channel of " + this, null, null);
        }
        AsynchronousChannelGroup made = channels;
        if (made == null) {
            // The channel group adds one thread to those it gets. So there are at least two, and must be: a thread
            // that finds several sockets ready, the last of which was closed meanwhile, waits for more before it
            // deals with the others, as if there were somebody else to do so.
            final CallerExecutor executor = new CallerExecutor(name);
            made = AsynchronousChannelGroup.withCachedThreadPool(executor, threads);
            executor.threadsHaveStarted();
            channels = made;
        }
        return made;
    }

    /**
     * Closes all sockets of the group, which ends what is pending on them, and then the threads.
     *
     * @throws UnsupportedOperationException on {@link #shared()}
     */
    @Override
    public void close() {
        if (!closeable) {
            throw new UnsupportedOperationException("IoGroup.shared() cannot be closed");
        }
        final AsynchronousChannelGroup made;
        synchronized (this) {
            closed = true;
            made = channels;
        }
        if (made != null) {
            try {
                made.shutdownNow();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public String toString() {
        return "IoGroup[" + name + ", threads=" + threads + "]";
    }
}
