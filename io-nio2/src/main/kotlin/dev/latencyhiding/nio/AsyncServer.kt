package dev.latencyhiding.nio

import dev.latencyhiding.LatencyHidingFuture
import java.net.InetSocketAddress
import java.util.concurrent.CompletionStage
import java.util.function.Function
import kotlinx.coroutines.future.await

/** A listening socket for Java: a [Server] whose operations return futures. */
public class AsyncServer private constructor(private val server: Server) : AutoCloseable {
    /** Where it listens, with the port that the system chose if none was given. */
    public fun localAddress(): InetSocketAddress = server.localAddress

    /**
     * Calls [handler] for each connection, and closes the connection when the stage it returns is
     * done. The future is done when the server is [closed][close] and the last connection has been
     * served; cancelling it closes the server and the connections. See [Server.serve].
     *
     * @param maxConnections how many are served at a time; more wait in the system's listen queue
     */
    @JvmOverloads
    public fun serve(
        handler: Function<in AsyncConnection, out CompletionStage<*>>,
        maxConnections: Int = Int.MAX_VALUE,
    ): LatencyHidingFuture<Void?> = startAction {
        server.serve(maxConnections) { handler.apply(AsyncConnection(it)).await() }
    }

    /** Stops listening. Connections that were accepted go on. */
    override fun close() {
        server.close()
    }

    override fun toString(): String = server.toString()

    public companion object {
        /** Listens at [address]; port 0 lets the system choose one. See [Server.listen]. */
        @JvmStatic
        @JvmOverloads
        public fun listen(
            address: InetSocketAddress,
            backlog: Int = 0,
            group: IoGroup = IoGroup.shared(),
        ): AsyncServer = AsyncServer(Server.listen(address, backlog, group))
    }
}
