@file:JvmName("Await")

package dev.latencyhiding.nio

import java.io.IOException
import java.net.SocketAddress
import java.nio.ByteBuffer
import java.nio.channels.AsynchronousByteChannel
import java.nio.channels.AsynchronousFileChannel
import java.nio.channels.AsynchronousServerSocketChannel
import java.nio.channels.AsynchronousSocketChannel
import java.nio.channels.Channel
import java.nio.channels.FileLock
import kotlin.coroutines.coroutineContext
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.ensureActive

/**
 * Reads what is there into [buffer], at least one byte, and waits if there is none.
 *
 * The wait is latency: the worker steals meanwhile, and the coroutine comes back to its deque.
 *
 * This suspending function is cancellable: if the job of the current coroutine is cancelled while
 * it waits, **the channel is closed**, because nothing else keeps the system from writing into
 * [buffer] later. [Connection] has reads that can be cancelled and go on.
 *
 * @return the number of bytes, or -1 at the end of the stream
 * @throws ConnectionResetException if the peer reset the connection
 * @throws ConnectionClosedException if the channel is or gets closed
 * @throws java.nio.channels.ReadPendingException if another read is pending
 */
public suspend fun AsynchronousByteChannel.awaitRead(buffer: ByteBuffer): Int =
    perform("read from", this, this.peer(), Operation<Int>()) { read(buffer, null, it) }

/**
 * Writes bytes of [buffer], at least one if it has any, and waits while the peer does not keep up.
 *
 * The wait is latency. This suspending function is cancellable: cancelling closes the channel, as
 * with [awaitRead].
 *
 * @return the number of bytes that were written
 * @throws ConnectionResetException if the peer reset the connection
 * @throws ConnectionClosedException if the channel is or gets closed
 * @throws java.nio.channels.WritePendingException if another write is pending
 */
public suspend fun AsynchronousByteChannel.awaitWrite(buffer: ByteBuffer): Int =
    perform("write to", this, this.peer(), Operation<Int>()) { write(buffer, null, it) }

/**
 * Connects to [address].
 *
 * The wait is latency. This suspending function is cancellable: cancelling closes the channel. So
 * does a failure.
 *
 * @throws ConnectionRefusedException if nobody listens there
 * @throws HostUnreachableException if there is no way to the host
 * @throws ConnectionTimedOutException if the system gave up; use `withTimeout` for less
 */
public suspend fun AsynchronousSocketChannel.awaitConnect(address: SocketAddress) {
    perform("connect to", this, address, Operation<Void?>()) { connect(address, null, it) }
}

/**
 * Accepts a connection.
 *
 * The wait is latency. This suspending function is cancellable: cancelling closes the listening
 * channel. A connection that came in at the same moment is closed, not leaked.
 *
 * @throws TooManyOpenFilesException if there is no file descriptor for it; the channel can be used
 *   again
 * @throws ConnectionClosedException if the listening channel is or gets closed
 */
public suspend fun AsynchronousServerSocketChannel.awaitAccept(): AsynchronousSocketChannel =
    perform("accept at", this, this.peer(), ClosesUnclaimed()) { accept(null, it) }

/**
 * Reads from a file at [position].
 *
 * The wait is latency. This suspending function is cancellable: cancelling closes the channel, as
 * with a socket.
 *
 * @return the number of bytes, or -1 if the file ends before [position]
 */
public suspend fun AsynchronousFileChannel.awaitRead(buffer: ByteBuffer, position: Long): Int =
    perform("read from a file", this, null, Operation<Int>()) { read(buffer, position, null, it) }

/**
 * Writes to a file at [position].
 *
 * The wait is latency. This suspending function is cancellable: cancelling closes the channel.
 *
 * @return the number of bytes that were written
 */
public suspend fun AsynchronousFileChannel.awaitWrite(buffer: ByteBuffer, position: Long): Int =
    perform("write to a file", this, null, Operation<Int>()) { write(buffer, position, null, it) }

/**
 * Locks a region of a file, the whole file by default. The wait holds a thread of the channel's
 * pool.
 *
 * The wait is latency. This suspending function is cancellable: cancelling closes the channel, and
 * a lock that was got at the same moment is released by that.
 *
 * @throws java.nio.channels.OverlappingFileLockException if this process holds or awaits a lock
 *   that overlaps
 */
public suspend fun AsynchronousFileChannel.awaitLock(
    position: Long = 0,
    size: Long = Long.MAX_VALUE,
    shared: Boolean = false,
): FileLock =
    perform("lock a file", this, null, Operation<FileLock>()) {
        lock(position, size, shared, null, it)
    }

private fun Channel.peer(): Any? = SocketFailures.peerOf(this)

private class ClosesUnclaimed : Operation<AsynchronousSocketChannel>() {
    override fun drop(unclaimed: AsynchronousSocketChannel) = unclaimed.closeQuietly()
}

private suspend inline fun <T> perform(
    name: String,
    channel: Channel,
    peer: Any?,
    operation: Operation<T>,
    crossinline start: (Operation<T>) -> Unit,
): T {
    ReadyStreak.next()
    CallerExecutor.start { start(operation) }
    try {
        operation.await(channel::closeQuietly)
    } catch (e: CancellationException) {
        // Cancelled while it waited, or after the end and before it could go on.
        channel.closeQuietly()
        operation.abandon()
        throw e
    }
    return operation.outcome(name, peer)
}

/** In the coroutine, so that an exception shows where it was thrown. */
internal suspend fun <T> Operation<T>.outcome(name: String, peer: Any?): T {
    val failure = failure()
    if (failure != null) {
        coroutineContext.ensureActive() // what is closed because of that is no news
        throw if (failure is IOException || failure !is RuntimeException && failure !is Error)
            SocketFailures.of(name, peer, failure)
        else failure
    }
    @Suppress("UNCHECKED_CAST") // null is a value only of those operations that have none other
    return value() as T
}

internal fun AutoCloseable.closeQuietly() {
    try {
        close()
    } catch (_: Exception) {
        // It is closed as far as it can be.
    }
}
