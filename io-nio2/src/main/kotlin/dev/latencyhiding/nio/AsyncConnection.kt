package dev.latencyhiding.nio

import dev.latencyhiding.LatencyHidingFuture
import java.net.SocketAddress
import java.nio.ByteBuffer
import java.nio.channels.AsynchronousByteChannel
import java.util.function.Consumer
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock

/**
 * A connection for Java: a [Connection] whose operations return futures, completed on a worker:
 * their stages run on the deque that started the operation.
 *
 * ```java
 * AsyncConnection.connect(address).thenCompose(connection ->
 *         connection.writeFully("GET / HTTP/1.0\r\n\r\n")
 *                 .thenCompose(sent -> connection.readLine())
 *                 .whenComplete((status, error) -> connection.close()));
 * ```
 *
 * Reads take turns, first come, first served, and so do writes. Cancelling a future, or letting it
 * time out by `orTimeout`, leaves the connection usable: what was being read is read by the next
 * read. Only a result that was there at that very moment is dropped with the future; where this
 * matters, wait for [request] with a timeout, and read without one.
 */
public class AsyncConnection internal constructor(private val connection: Connection) :
    AutoCloseable {
    /** A read that was cancelled lets go of the connection a moment after its future is done. */
    private val turn = Mutex()

    private fun <T> startRead(operation: suspend () -> T): LatencyHidingFuture<T> = start {
        turn.withLock { operation() }
    }

    /** The address at the other end; null if the channel has none. */
    public fun remoteAddress(): SocketAddress? = connection.remoteAddress

    /** Waits until [count] bytes are there, and takes none; see [Connection.request]. */
    public fun request(count: Int): LatencyHidingFuture<Boolean> = startRead {
        connection.request(count)
    }

    /** Reads what is there; see [Connection.readAvailable]. */
    public fun readAvailable(into: ByteBuffer): LatencyHidingFuture<Int> = startRead {
        connection.readAvailable(into)
    }

    /** Fills [into]; see [Connection.readExactly]. */
    public fun readExactly(into: ByteBuffer): LatencyHidingFuture<Void?> = startRead {
        connection.readExactly(into)
        null
    }

    /** Reads [count] bytes; see [Connection.readExactly]. */
    public fun readExactly(count: Int): LatencyHidingFuture<ByteArray> = startRead {
        connection.readExactly(count)
    }

    /** Reads at least [count] bytes; see [Connection.readAtLeast]. */
    public fun readAtLeast(into: ByteBuffer, count: Int): LatencyHidingFuture<Int> = startRead {
        connection.readAtLeast(into, count)
    }

    /**
     * Reads up to [delimiter]; a future of null at the end of the stream; see
     * [Connection.readUntil].
     */
    @JvmOverloads
    public fun readUntil(
        delimiter: Byte,
        limit: Int = Connection.BUFFER_SIZE,
    ): LatencyHidingFuture<ByteArray?> = startRead { connection.readUntil(delimiter, limit) }

    /** Reads a line; a future of null at the end of the stream; see [Connection.readLine]. */
    @JvmOverloads
    public fun readLine(
        limit: Int = Connection.BUFFER_SIZE,
        ending: LineEnding = LineEnding.LF_OR_CRLF,
    ): LatencyHidingFuture<String?> = startRead { connection.readLine(limit, ending) }

    /**
     * Calls [action] with each line up to the end of the stream, in order, one at a time, on a
     * worker; if it throws, that is the outcome.
     *
     * @return how many lines there were
     */
    public fun forEachLine(action: Consumer<in String>): LatencyHidingFuture<Long> = startRead {
        var count = 0L
        connection.lines().collect {
            action.accept(it)
            count++
        }
        count
    }

    /** Writes into the buffer, and sends what does not fit; see [Connection.write]. */
    public fun write(bytes: ByteBuffer): LatencyHidingFuture<Void?> = startAction {
        connection.write(bytes)
    }

    /** As the other [write]. */
    public fun write(bytes: ByteArray): LatencyHidingFuture<Void?> = startAction {
        connection.write(bytes)
    }

    /** Writes text as UTF-8, as the other [write]. */
    public fun write(text: String): LatencyHidingFuture<Void?> = startAction {
        connection.write(text)
    }

    /** Writes and sends; see [Connection.writeFully]. */
    public fun writeFully(bytes: ByteBuffer): LatencyHidingFuture<Void?> = startAction {
        connection.writeFully(bytes)
    }

    /** As the other [writeFully]. */
    public fun writeFully(bytes: ByteArray): LatencyHidingFuture<Void?> = startAction {
        connection.writeFully(bytes)
    }

    /** Writes text as UTF-8, as the other [writeFully]. */
    public fun writeFully(text: String): LatencyHidingFuture<Void?> = startAction {
        connection.writeFully(text)
    }

    /** Sends what is in the buffer; see [Connection.flush]. */
    public fun flush(): LatencyHidingFuture<Void?> = startAction { connection.flush() }

    /** Sends the end of the stream; see [Connection.shutdownOutput]. */
    public fun shutdownOutput(): LatencyHidingFuture<Void?> = startAction {
        connection.shutdownOutput()
    }

    /** Copies the rest of this stream to [target]; see [Connection.copyTo]. */
    public fun copyTo(target: AsyncConnection): LatencyHidingFuture<Long> = startRead {
        connection.copyTo(target.connection)
    }

    /** Closes the connection at once; see [Connection.close]. */
    override fun close() {
        connection.close()
    }

    override fun toString(): String = connection.toString()

    public companion object {
        /** Connects to [address]; see [Connection.connect]. */
        @JvmStatic
        @JvmOverloads
        public fun connect(
            address: SocketAddress,
            group: IoGroup = IoGroup.shared(),
        ): LatencyHidingFuture<AsyncConnection> = start {
            AsyncConnection(Connection.connect(address, group))
        }

        /** A connection over [channel], which nobody else may use from now on. */
        @JvmStatic
        public fun over(channel: AsynchronousByteChannel): AsyncConnection =
            AsyncConnection(Connection.over(channel))
    }
}
