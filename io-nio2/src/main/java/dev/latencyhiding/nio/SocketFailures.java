package dev.latencyhiding.nio;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.nio.channels.AsynchronousByteChannel;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.Channel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ShutdownChannelGroupException;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Turns what the JDK throws into exceptions that say what failed, and with whom. */
final class SocketFailures {
    private SocketFailures() {}

    static IOException of(String operation, @Nullable Object peer, Throwable cause) {
        if (cause instanceof SocketFailure && cause instanceof IOException known) {
            return known;
        }
        if (cause instanceof ClosedChannelException || cause instanceof ShutdownChannelGroupException) {
            return new ConnectionClosedException(operation, peer, cause);
        }
        // The JDK tells most errors of the system by their text alone.
        final String text = Objects.requireNonNullElse(cause.getMessage(), "").toLowerCase(Locale.ROOT);
        if (text.contains("refused")) {
            return new ConnectionRefusedException(operation, peer, cause);
        }
        if (text.contains("reset") || text.contains("broken pipe") || text.contains("aborted")) {
            return new ConnectionResetException(operation, peer, cause);
        }
        if (text.contains("timed out")) {
            return new ConnectionTimedOutException(operation, peer, cause);
        }
        if (cause instanceof NoRouteToHostException || text.contains("unreachable") || text.contains("no route")) {
            return new HostUnreachableException(operation, peer, cause);
        }
        if (text.contains("too many open files") || text.contains("no file descriptors")) {
            return new TooManyOpenFilesException(operation, peer, cause);
        }
        if (cause instanceof ConnectException) {
            return new ConnectionRefusedException(operation, peer, cause);
        }
        return new NetworkException(operation, peer, cause);
    }

    /** The address at the other end of a channel, if it has one and is open. */
    static @Nullable Object peerOf(Channel channel) {
        try {
            if (channel instanceof AsynchronousSocketChannel socket) {
                return socket.getRemoteAddress();
            }
            if (channel instanceof AsynchronousServerSocketChannel server) {
                return server.getLocalAddress();
            }
            return channel instanceof AsynchronousByteChannel ? channel : null;
        } catch (IOException closed) {
            return null;
        }
    }

    static String message(String operation, @Nullable Object peer, String what) {
        return operation + (peer == null ? "" : " " + peer) + ": " + what;
    }
}
