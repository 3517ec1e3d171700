package dev.latencyhiding.nio

import java.io.IOException
import java.net.BindException
import java.net.InetSocketAddress
import java.net.StandardSocketOptions
import java.nio.channels.AsynchronousServerSocketChannel
import java.nio.channels.AsynchronousSocketChannel
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.launch
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.sync.Semaphore

/**
 * Listens at an address.
 *
 * ```
 * Server.listen(InetSocketAddress(7)).use { server ->
 *     server.serve(maxConnections = 10_000) { connection -> connection.copyTo(connection) }
 * }
 * ```
 */
public class Server private constructor(private val channel: AsynchronousServerSocketChannel) :
    AutoCloseable {
    /** Where it listens, with the port that the system chose if none was given. */
    public val localAddress: InetSocketAddress = channel.localAddress as InetSocketAddress

    /**
     * Accepts connections as the collector asks for them, without end, until the server is
     * [closed][close]. While the collector is busy, peers wait in the system's listen queue. Each
     * connection belongs to the collector, who closes it.
     *
     * If there are too many open files it tries again a little later.
     */
    public fun connections(): Flow<Connection> = flow {
        while (true) {
            val accepted = accept() ?: break
            var delivered = false
            try {
                accepted.setOption(StandardSocketOptions.TCP_NODELAY, true)
                val connection = Connection.over(accepted)
                delivered = true
                emit(connection)
            } catch (e: IOException) {
                if (delivered) throw e // the collector's
                accepted.closeQuietly() // the peer has gone already
            }
        }
    }

    /** Null when the server is closed. */
    private suspend fun accept(): AsynchronousSocketChannel? {
        while (channel.isOpen) {
            try {
                return channel.awaitAccept()
            } catch (_: TooManyOpenFilesException) {
                delay(BACK_OFF_MILLIS) // the peers wait in the listen queue meanwhile
            } catch (_: ConnectionClosedException) {
                break
            } catch (_: ConnectionResetException) {
                // The peer has gone before it was its turn.
            }
        }
        return null
    }

    /**
     * Serves each connection in a coroutine of its own, and closes it afterwards. Returns when the
     * server is [closed][close] and the last connection has been served.
     *
     * Cancelling it cancels those who serve, and closes the server and the connections.
     *
     * An [IOException] of one connection, such as a reset by its peer, ends that connection only.
     * Other exceptions of [handler] also go to the `CoroutineExceptionHandler` or, if there is
     * none, to the thread's handler.
     *
     * @param maxConnections how many are served at a time; more wait in the system's listen queue
     */
    public suspend fun serve(
        maxConnections: Int = Int.MAX_VALUE,
        handler: suspend (Connection) -> Unit,
    ) {
        require(maxConnections > 0) { "maxConnections must be positive: $maxConnections" }
        val places = Semaphore(maxConnections)
        supervisorScope {
            try {
                places.acquire()
                connections().collect { connection ->
                    launch { serve(connection, handler) }
                        .invokeOnCompletion {
                            connection.close() // also if it was cancelled before it started
                            places.release()
                        }
                    places.acquire()
                }
            } finally {
                close()
            }
        }
    }

    private suspend fun serve(connection: Connection, handler: suspend (Connection) -> Unit) {
        try {
            handler(connection)
        } catch (_: IOException) {
            // Of this connection: its peer is told by the close.
        }
    }

    /** Stops listening. Connections that were accepted go on. */
    override fun close() {
        channel.closeQuietly()
    }

    override fun toString(): String = "Server[$localAddress]"

    public companion object {
        private const val BACK_OFF_MILLIS = 20L

        /**
         * Listens at [address]; port 0 lets the system choose one.
         *
         * @param backlog how many connections may wait in the listen queue; 0 for the system's
         *   default
         * @throws java.net.BindException if the address is in use or not of this host
         */
        @JvmOverloads
        public fun listen(
            address: InetSocketAddress,
            backlog: Int = 0,
            group: IoGroup = IoGroup.shared(),
        ): Server {
            require(backlog >= 0) { "backlog must not be negative: $backlog" }
            val channel = group.openServerSocket()
            try {
                channel.setOption(StandardSocketOptions.SO_REUSEADDR, true)
                return Server(channel.bind(address, backlog))
            } catch (e: BindException) {
                channel.closeQuietly()
                throw BindException("listen at $address: ${e.message}").apply { initCause(e) }
            } catch (e: Throwable) {
                channel.closeQuietly()
                throw e
            }
        }
    }
}
