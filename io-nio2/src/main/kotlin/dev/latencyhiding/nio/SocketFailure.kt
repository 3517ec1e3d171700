package dev.latencyhiding.nio

import java.io.EOFException
import java.io.IOException
import java.net.ConnectException
import java.net.NoRouteToHostException
import java.net.SocketException
import java.net.SocketTimeoutException
import java.nio.channels.AsynchronousCloseException

/**
 * What all exceptions of sockets have in common. Each of them is also a kind of the JDK's exception
 * for the same thing, so that code which knows only that one goes on working.
 */
public interface SocketFailure {
    /** What was tried: `connect to`, `read from`, … */
    public val operation: String

    /** With whom, if it is known: usually a [java.net.SocketAddress]. */
    public val peer: Any?
}

/** Nobody listens at the address. */
public class ConnectionRefusedException
internal constructor(
    override val operation: String,
    override val peer: Any?,
    cause: Throwable?,
) : ConnectException(SocketFailures.message(operation, peer, "connection refused")), SocketFailure {
    init {
        initCause(cause)
    }
}

/** The peer, or its system, ended the connection without finishing it. */
public class ConnectionResetException
internal constructor(
    override val operation: String,
    override val peer: Any?,
    cause: Throwable?,
) :
    SocketException(SocketFailures.message(operation, peer, "connection reset by the peer")),
    SocketFailure {
    init {
        initCause(cause)
    }
}

/** There is no way to the host or to its network. */
public class HostUnreachableException
internal constructor(
    override val operation: String,
    override val peer: Any?,
    cause: Throwable?,
) : NoRouteToHostException(SocketFailures.message(operation, peer, "unreachable")), SocketFailure {
    init {
        initCause(cause)
    }
}

/**
 * The system gave up waiting for the peer. Timeouts of one's own are made by `withTimeout`, which
 * throws another exception.
 */
public class ConnectionTimedOutException
internal constructor(
    override val operation: String,
    override val peer: Any?,
    cause: Throwable?,
) :
    SocketTimeoutException(SocketFailures.message(operation, peer, "connection timed out")),
    SocketFailure {
    init {
        initCause(cause)
    }
}

/** This side closed the connection or its group, before or during the operation. */
public class ConnectionClosedException
internal constructor(
    override val operation: String,
    override val peer: Any?,
    cause: Throwable?,
) : AsynchronousCloseException(), SocketFailure {
    init {
        if (cause != null) initCause(cause)
    }

    override val message: String
        get() = SocketFailures.message(operation, peer, "closed on this side")
}

/** The stream ended in the midst of what was to be read. */
public class EndOfStreamException
internal constructor(
    override val operation: String,
    override val peer: Any?,
    what: String,
) : EOFException(SocketFailures.message(operation, peer, what)), SocketFailure

/** The process, or the system, has no more file descriptors. */
public class TooManyOpenFilesException
internal constructor(
    override val operation: String,
    override val peer: Any?,
    cause: Throwable?,
) : SocketException(SocketFailures.message(operation, peer, "too many open files")), SocketFailure {
    init {
        initCause(cause)
    }
}

/** Any other failure; [cause] has what the system said. */
public class NetworkException
internal constructor(
    override val operation: String,
    override val peer: Any?,
    cause: Throwable,
) : IOException(SocketFailures.message(operation, peer, cause.toString()), cause), SocketFailure
