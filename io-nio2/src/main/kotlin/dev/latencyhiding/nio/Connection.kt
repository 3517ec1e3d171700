package dev.latencyhiding.nio

import java.net.ProtocolException
import java.net.SocketAddress
import java.net.StandardSocketOptions
import java.nio.ByteBuffer
import java.nio.channels.AsynchronousByteChannel
import java.nio.channels.AsynchronousSocketChannel
import kotlin.coroutines.coroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow

/**
 * Both directions of a byte stream, with buffers of its own, over a socket, TLS or any
 * [AsynchronousByteChannel].
 *
 * ```
 * Connection.connect(InetSocketAddress("example.org", 80)).use { connection ->
 *     connection.writeFully("GET / HTTP/1.0\r\n\r\n")
 *     val status = connection.readLine()
 *     connection.lines().collect(::println)
 * }
 * ```
 *
 * **Waiting** is latency: the worker steals meanwhile, and the coroutine comes back to its deque.
 * What can be done at once is done at once, on the calling thread.
 *
 * **Cancelling** a coroutine that reads or writes leaves the connection usable, and not a byte is
 * lost: what was being read is read by the next read; what was being written is sent. So timeouts
 * are made by `withTimeout`. A write that was cancelled has written all or nothing, if it was no
 * larger than [BUFFER_SIZE], else perhaps a part. What `withTimeout` drops is lost, though: its
 * time may be up between the end of a read and its own. Where that matters, wait for [request] with
 * a timeout, and read afterwards.
 *
 * **One** coroutine reads at a time; another gets an `IllegalStateException`. Any number may write:
 * they take turns, first come, first served. Reading and writing do not disturb each other.
 *
 * **Errors** are [SocketFailure]s, which name the operation and the peer. A cancelled coroutine
 * sees `CancellationException` only.
 */
public class Connection
internal constructor(
    internal val source: Source,
    internal val sink: Sink,
    private val channel: AutoCloseable,
    /** The address at the other end; null if the channel has none. */
    public val remoteAddress: SocketAddress?,
) : AutoCloseable {
    // ---- reading ----

    /**
     * Waits until [count] bytes are there, and takes none of them. Reading so many does not wait
     * then.
     *
     * @return false if the stream ends before that
     */
    public suspend fun request(count: Int): Boolean {
        require(count >= 0) { "count must not be negative: $count" }
        return source.read(READ) { source.require(count) }
    }

    /**
     * Reads what is there into [into], and waits if there is nothing.
     *
     * @return the number of bytes; -1 at the end of the stream; 0 only if [into] is full
     */
    public suspend fun readAvailable(into: ByteBuffer): Int =
        source.read(READ) {
            when {
                !into.hasRemaining() -> 0
                source.require(1) -> source.bytes.moveTo(into)
                else -> -1
            }
        }

    /**
     * Fills [into], and waits as long as it takes. If it is cancelled, or the stream ends, what has
     * come so far is in [into].
     *
     * @throws EndOfStreamException if the stream ends before that
     */
    public suspend fun readExactly(into: ByteBuffer) {
        readAtLeast(into, into.remaining())
    }

    /**
     * Reads [count] bytes. If it is cancelled, none is taken.
     *
     * @throws EndOfStreamException if the stream ends before that; what there is can still be read
     */
    public suspend fun readExactly(count: Int): ByteArray {
        require(count >= 0) { "count must not be negative: $count" }
        return source.read(READ) {
            if (!source.require(count)) throw endedAfter(source.bytes.remaining(), count)
            take(count, source.bytes.copy(count))
        }
    }

    /**
     * Reads at least [count] bytes into [into], and more if they are there.
     *
     * @return the number of bytes
     * @throws EndOfStreamException if the stream ends before that; what came before is in [into]
     */
    public suspend fun readAtLeast(into: ByteBuffer, count: Int): Int {
        require(count in 0..into.remaining()) {
            "count must be from 0 to the ${into.remaining()} bytes that have room: $count"
        }
        return source.read(READ) {
            var total = if (source.bytes.hasRemaining()) source.bytes.moveTo(into) else 0
            while (total < count) {
                if (!source.fill()) throw endedAfter(total, count)
                total += source.bytes.moveTo(into)
            }
            total
        }
    }

    /**
     * Reads up to [delimiter], which is taken as well and not returned.
     *
     * @param limit the number of bytes that may come before the delimiter
     * @return null at the end of the stream; at the end without a delimiter, what there is
     * @throws TooLongLineException if [limit] bytes have come and none of them, nor the next, is
     *   the delimiter; they can still be read
     */
    public suspend fun readUntil(delimiter: Byte, limit: Int = BUFFER_SIZE): ByteArray? {
        require(limit >= 0) { "limit must not be negative: $limit" }
        return source.read(READ) {
            val length = lengthBefore(delimiter, limit)
            val bytes = source.bytes
            when {
                length >= 0 -> take(length + 1, bytes.copy(length))
                bytes.hasRemaining() -> take(bytes.remaining(), bytes.copy(bytes.remaining()))
                else -> null
            }
        }
    }

    /** Waits for the delimiter; -1 if the stream ends before that. */
    private suspend fun lengthBefore(delimiter: Byte, limit: Int): Int {
        var searched = 0
        while (true) {
            val bytes = source.bytes
            val length = bytes.lengthBefore(delimiter, searched)
            if (length > limit || length < 0 && bytes.remaining() > limit) {
                throw TooLongLineException(
                    SocketFailures.message(READ, remoteAddress, "more than $limit bytes in a line")
                )
            }
            if (length >= 0) return length
            searched = bytes.remaining()
            if (!source.fill()) return -1
        }
    }

    /**
     * The last step of a read, when [result] is made: a coroutine that was cancelled meanwhile
     * takes nothing.
     */
    private suspend fun <T> take(count: Int, result: T): T {
        coroutineContext.ensureActive()
        source.bytes.position(source.bytes.position() + count)
        return result
    }

    /**
     * Reads a line of UTF-8 text, without its ending.
     *
     * @param limit the number of bytes, not characters, that a line may have before its line feed
     * @param ending what ends a line
     * @return null at the end of the stream; a last line without an ending is returned as well,
     *   unless [ending] is [LineEnding.CRLF]
     * @throws TooLongLineException as soon as more than [limit] bytes have come
     * @throws EndOfStreamException if the stream ends in the midst of a line that must end with
     *   CRLF
     * @throws NetworkException if a line must end with CRLF and has a line feed alone
     */
    public suspend fun readLine(
        limit: Int = BUFFER_SIZE,
        ending: LineEnding = LineEnding.LF_OR_CRLF,
    ): String? {
        require(limit >= 0) { "limit must not be negative: $limit" }
        return source.read(READ) {
            val length = lengthBefore(LF, limit)
            val bytes = source.bytes
            when {
                length >= 0 -> take(length + 1, bytes.line(length, ending))
                !bytes.hasRemaining() -> null
                ending == LineEnding.CRLF ->
                    throw EndOfStreamException(
                        READ,
                        remoteAddress,
                        "the stream ended within a line",
                    )
                else -> take(bytes.remaining(), bytes.copy(bytes.remaining()).decodeToString())
            }
        }
    }

    /** Without a carriage return that belongs to the ending. */
    private fun ByteBuffer.line(length: Int, ending: LineEnding): String {
        val hasReturn = length > 0 && get(position() + length - 1) == CR
        if (ending == LineEnding.CRLF && !hasReturn) {
            throw NetworkException(
                READ,
                remoteAddress,
                ProtocolException("a line ends with a line feed alone"),
            )
        }
        val end = if (hasReturn && ending != LineEnding.LF) length - 1 else length
        return copy(end).decodeToString()
    }

    /**
     * The lines up to the end of the stream, each read when the collector asks for it. It closes
     * nothing: after `take(n)` the rest can be read in another way.
     */
    public fun lines(
        limit: Int = BUFFER_SIZE,
        ending: LineEnding = LineEnding.LF_OR_CRLF,
    ): Flow<String> = flow {
        while (true) emit(readLine(limit, ending) ?: break)
    }

    /**
     * The bytes up to the end of the stream, as they come. A chunk is read-only and **valid until
     * the collector asks for the next**: copy what is to be kept. Bytes that the collector leaves
     * in a chunk are skipped, except in the last one before it stops: those can still be read.
     */
    public fun chunks(): Flow<ByteBuffer> = flow {
        source.read(READ) {
            while (source.require(1)) {
                val borrowed = source.bytes.asReadOnlyBuffer()
                try {
                    emit(borrowed)
                } catch (e: Throwable) {
                    source.bytes.position(borrowed.position())
                    throw e
                }
                source.bytes.position(source.bytes.limit())
            }
        }
    }

    // ---- writing ----

    /**
     * Writes all of [bytes] into the buffer, and sends what does not fit. [flush] sends the rest.
     */
    public suspend fun write(bytes: ByteBuffer) {
        sink.write(bytes, andFlush = false)
    }

    /** As the other [write]. */
    public suspend fun write(bytes: ByteArray) {
        write(ByteBuffer.wrap(bytes))
    }

    /** Writes text as UTF-8, as the other [write]. */
    public suspend fun write(text: String) {
        write(text.toByteArray())
    }

    /** Writes and sends all of [bytes]; waits until the system has taken them. */
    public suspend fun writeFully(bytes: ByteBuffer) {
        sink.write(bytes, andFlush = true)
    }

    /** As the other [writeFully]. */
    public suspend fun writeFully(bytes: ByteArray) {
        writeFully(ByteBuffer.wrap(bytes))
    }

    /** Writes text as UTF-8, as the other [writeFully]. */
    public suspend fun writeFully(text: String) {
        writeFully(text.toByteArray())
    }

    /** Sends what is in the buffer; waits until the system has taken it. */
    public suspend fun flush() {
        sink.flush()
    }

    /**
     * Sends what is in the buffer and then the end of the stream. Reading goes on.
     *
     * Over TLS this ends both directions, as TLS did up to version 1.2: afterwards only [close] is
     * of use.
     */
    public suspend fun shutdownOutput() {
        sink.shutdown()
    }

    // ---- the end ----

    /**
     * Closes the connection at once. What is in the buffer and not flushed is dropped; what waits
     * ends with [ConnectionClosedException]. Has no effect if called again.
     */
    override fun close() {
        // First the directions: so that nobody begins with a channel that is about to be closed.
        source.close()
        sink.close()
        channel.closeQuietly()
    }

    override fun toString(): String = "Connection[${remoteAddress ?: channel}]"

    private fun endedAfter(present: Int, wanted: Int) =
        EndOfStreamException(
            READ,
            remoteAddress,
            "the stream ended after $present of $wanted bytes",
        )

    public companion object {
        /** The bytes of a connection's buffer, and the default limit of a line. */
        public const val BUFFER_SIZE: Int = BufferPool.SIZE

        private const val READ = "read from"
        private const val LF = '\n'.code.toByte()
        private const val CR = '\r'.code.toByte()

        /**
         * Connects to [address], with `TCP_NODELAY`.
         *
         * This suspending function is cancellable: cancelling gives the attempt up.
         *
         * @throws ConnectionRefusedException if nobody listens there
         * @throws HostUnreachableException if there is no way to the host
         * @throws ConnectionTimedOutException if the system gave up
         * @throws TooManyOpenFilesException if there is no file descriptor for it
         */
        public suspend fun connect(
            address: SocketAddress,
            group: IoGroup = IoGroup.shared(),
        ): Connection {
            val channel = group.openSocket()
            try {
                channel.awaitConnect(address)
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true)
                return over(channel)
            } catch (e: Throwable) {
                channel.closeQuietly()
                throw e
            }
        }

        /** A connection over [channel], which nobody else may use from now on. */
        public fun over(channel: AsynchronousByteChannel): Connection =
            over(channel, BufferPool.SHARED)

        internal fun over(channel: AsynchronousByteChannel, pool: BufferPool): Connection {
            val peer = (channel as? AsynchronousSocketChannel)?.remoteAddress
            val name = peer ?: channel
            return Connection(
                ChannelSource(channel, pool, name),
                ChannelSink(channel, pool, name),
                channel,
                peer,
            )
        }
    }
}
