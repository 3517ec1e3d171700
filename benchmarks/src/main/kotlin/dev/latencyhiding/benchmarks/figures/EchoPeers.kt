package dev.latencyhiding.benchmarks.figures

import dev.latencyhiding.LatencyHidingScheduler
import dev.latencyhiding.coroutines.asCoroutineDispatcher
import dev.latencyhiding.nio.Connection
import dev.latencyhiding.nio.IoGroup
import dev.latencyhiding.nio.awaitAccept
import dev.latencyhiding.nio.awaitConnect
import dev.latencyhiding.nio.awaitRead
import dev.latencyhiding.nio.awaitWrite
import io.netty.bootstrap.Bootstrap
import io.netty.bootstrap.ServerBootstrap
import io.netty.channel.Channel
import io.netty.channel.ChannelHandler.Sharable
import io.netty.channel.ChannelHandlerContext
import io.netty.channel.ChannelInboundHandlerAdapter
import io.netty.channel.ChannelOption
import io.netty.channel.nio.NioEventLoopGroup
import io.netty.channel.socket.nio.NioServerSocketChannel
import io.netty.channel.socket.nio.NioSocketChannel
import java.io.DataInputStream
import java.io.IOException
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.ServerSocket
import java.net.Socket
import java.net.SocketAddress
import java.net.StandardSocketOptions
import java.nio.ByteBuffer
import java.nio.channels.AsynchronousChannelGroup
import java.nio.channels.AsynchronousServerSocketChannel
import java.nio.channels.AsynchronousSocketChannel
import java.nio.channels.CompletionHandler
import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.suspendCancellableCoroutine

internal const val MESSAGE = 64

/** An echo server and its clients, which play ping-pong until they are closed. */
internal interface EchoPeer : AutoCloseable {
    fun start(connections: Int, roundTrips: RoundTrips)
}

internal fun echoPeers(): Map<String, () -> EchoPeer> = buildMap {
    val cores = Runtime.getRuntime().availableProcessors()
    put("LatencyHiding, await…") { OnOwnScheduler { LibraryEcho(it) } }
    put("LatencyHiding, Connection") { OnOwnScheduler(::ConnectionEcho) }
    put("Default, same group") { LibraryEcho(Dispatchers.Default) }
    put("Default, fixed group") { PlainEcho(Dispatchers.Default, 1) }
    put("Default, fixed group × P") { PlainEcho(Dispatchers.Default, cores) }
    put("inline, fixed group") { PlainEcho(Dispatchers.Unconfined, 1) }
    put("inline, fixed group × P") { PlainEcho(Dispatchers.Unconfined, cores) }
    virtualThreadExecutor()?.let { put("virtual threads") { BlockingEcho(it) } }
    put("Netty") { NettyEcho(cores) }
}

private class OnOwnScheduler(make: (CoroutineDispatcher) -> EchoPeer) : EchoPeer {
    private val dispatcher = LatencyHidingScheduler.builder().build().asCoroutineDispatcher()
    private val echo = make(dispatcher)

    override fun start(connections: Int, roundTrips: RoundTrips) =
        echo.start(connections, roundTrips)

    override fun close() {
        echo.close()
        dispatcher.close()
    }
}

internal fun virtualThreadExecutor(): ExecutorService? = runCatching {
    Executors::class.java.getMethod("newVirtualThreadPerTaskExecutor").invoke(null)
        as ExecutorService
}
    .getOrNull()

private fun loopback(port: Int = 0) = InetSocketAddress(InetAddress.getLoopbackAddress(), port)

/** Both ends are coroutines on [dispatcher]. */
internal abstract class CoroutineEcho<C : AutoCloseable>(
    dispatcher: CoroutineDispatcher,
    /** How long a client waits between two messages. */
    private val paceMillis: Long = 0,
) : EchoPeer {
    private val job = SupervisorJob()
    private val scope = CoroutineScope(dispatcher + job)
    protected abstract val address: SocketAddress

    abstract suspend fun accept(): C

    abstract suspend fun connect(): C

    /** Returns false at the end. */
    abstract suspend fun readMessage(connection: C, buffer: ByteBuffer): Boolean

    abstract suspend fun writeMessage(connection: C, buffer: ByteBuffer)

    override fun start(connections: Int, roundTrips: RoundTrips) {
        scope.launch { repeat(connections) { play(accept(), ::answer) } }
        scope.launch {
            // All connect before the first sends: beside a thousand that play it takes seconds.
            List(connections) { connect() }.forEach { play(it) { ask(it, roundTrips.Client()) } }
        }
    }

    private fun play(connection: C, turns: suspend (C) -> Unit) = scope.launch {
        try {
            connection.use { turns(it) }
        } catch (_: IOException) {
            // the end of the figure
        }
    }

    private suspend fun answer(connection: C) {
        val buffer = ByteBuffer.allocateDirect(MESSAGE)
        while (readMessage(connection, buffer)) writeMessage(connection, buffer)
    }

    private suspend fun ask(connection: C, client: RoundTrips.Client) {
        val buffer = ByteBuffer.allocateDirect(MESSAGE)
        while (true) {
            client.sends()
            writeMessage(connection, buffer.clear())
            if (!readMessage(connection, buffer)) break
            client.hasAnswer()
            if (paceMillis > 0) delay(paceMillis)
        }
    }

    override fun close() {
        runBlocking { job.cancelAndJoin() }
    }
}

/** The JDK's channels in this library's group, by its raw functions. */
internal class LibraryEcho(dispatcher: CoroutineDispatcher, paceMillis: Long = 0) :
    CoroutineEcho<AsynchronousSocketChannel>(dispatcher, paceMillis) {
    private val group = IoGroup.open()
    private val server = group.openServerSocket().bind(loopback(), 2000)
    override val address: SocketAddress = server.localAddress

    override suspend fun accept() = server.awaitAccept().noDelay()

    override suspend fun connect() = group.openSocket().also { it.awaitConnect(address) }.noDelay()

    override suspend fun readMessage(
        connection: AsynchronousSocketChannel,
        buffer: ByteBuffer,
    ): Boolean {
        buffer.clear()
        while (buffer.hasRemaining()) if (connection.awaitRead(buffer) < 0) return false
        buffer.flip()
        return true
    }

    override suspend fun writeMessage(connection: AsynchronousSocketChannel, buffer: ByteBuffer) {
        while (buffer.hasRemaining()) connection.awaitWrite(buffer)
    }

    override fun close() {
        group.close()
        super.close()
    }
}

private class ConnectionEcho(dispatcher: CoroutineDispatcher) :
    CoroutineEcho<Connection>(dispatcher) {
    private val group = IoGroup.open()
    private val server = group.openServerSocket().bind(loopback(), 2000)
    override val address: SocketAddress = server.localAddress

    override suspend fun accept() = Connection.over(server.awaitAccept().noDelay())

    override suspend fun connect() = Connection.connect(address, group)

    override suspend fun readMessage(connection: Connection, buffer: ByteBuffer): Boolean {
        connection.readExactly(buffer.clear())
        buffer.flip()
        return true
    }

    override suspend fun writeMessage(connection: Connection, buffer: ByteBuffer) =
        connection.writeFully(buffer)

    override fun close() {
        group.close()
        super.close()
    }
}

/** What one writes without a library: a fixed group, and handlers that resume the continuation. */
internal class PlainEcho(dispatcher: CoroutineDispatcher, threads: Int, paceMillis: Long = 0) :
    CoroutineEcho<AsynchronousSocketChannel>(dispatcher, paceMillis) {
    private val group =
        AsynchronousChannelGroup.withFixedThreadPool(threads) {
            Thread(it).apply { isDaemon = true }
        }
    private val server = AsynchronousServerSocketChannel.open(group).bind(loopback(), 2000)
    override val address: SocketAddress = server.localAddress

    override suspend fun accept(): AsynchronousSocketChannel = perform {
        server.accept(null, it)
    }
        .noDelay()

    override suspend fun connect(): AsynchronousSocketChannel =
        AsynchronousSocketChannel.open(group)
            .also { perform<Void?> { handler -> it.connect(address, null, handler) } }
            .noDelay()

    override suspend fun readMessage(
        connection: AsynchronousSocketChannel,
        buffer: ByteBuffer,
    ): Boolean {
        buffer.clear()
        while (buffer.hasRemaining()) {
            if (perform<Int> { connection.read(buffer, null, it) } < 0) return false
        }
        buffer.flip()
        return true
    }

    override suspend fun writeMessage(connection: AsynchronousSocketChannel, buffer: ByteBuffer) {
        while (buffer.hasRemaining()) perform<Int> { connection.write(buffer, null, it) }
    }

    private suspend fun <T> perform(start: (CompletionHandler<T, Any?>) -> Unit): T =
        suspendCancellableCoroutine { continuation ->
            start(
                object : CompletionHandler<T, Any?> {
                    override fun completed(result: T, attachment: Any?) =
                        continuation.resume(result)

                    override fun failed(error: Throwable, attachment: Any?) =
                        continuation.resumeWithException(error)
                }
            )
        }

    override fun close() {
        super.close() // before the group, which refuses whoever goes on
        group.shutdownNow()
    }
}

private fun AsynchronousSocketChannel.noDelay() = also {
    it.setOption(StandardSocketOptions.TCP_NODELAY, true)
}

/** Blocking sockets, a thread for each end. */
internal class BlockingEcho(private val threads: ExecutorService) : EchoPeer {
    private val server = ServerSocket(0, 2000, InetAddress.getLoopbackAddress())
    private val sockets = java.util.concurrent.ConcurrentLinkedQueue<Socket>()

    override fun start(connections: Int, roundTrips: RoundTrips) {
        threads.execute {
            repeat(connections) {
                val socket = server.accept()
                play(socket) { input, message ->
                    input.readFully(message)
                    socket.getOutputStream().write(message)
                }
            }
        }
        for (socket in List(connections) { Socket(server.inetAddress, server.localPort) }) {
            val client = roundTrips.Client()
            play(socket) { input, message ->
                client.sends()
                socket.getOutputStream().write(message)
                input.readFully(message)
                client.hasAnswer()
            }
        }
    }

    private fun play(socket: Socket, turn: (DataInputStream, ByteArray) -> Unit) {
        sockets += socket
        socket.tcpNoDelay = true
        threads.execute {
            try {
                val message = ByteArray(MESSAGE)
                val input = DataInputStream(socket.getInputStream())
                while (true) turn(input, message)
            } catch (_: IOException) {
                // the end of the figure
            }
        }
    }

    override fun close() {
        server.close()
        sockets.forEach { it.close() }
        threads.shutdown()
    }
}

internal class NettyEcho(threads: Int) : EchoPeer {
    private val loops = NioEventLoopGroup(threads)

    override fun start(connections: Int, roundTrips: RoundTrips) {
        val server =
            ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel::class.java)
                .option(ChannelOption.SO_BACKLOG, 2000)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(Turns(null))
                .bind(loopback())
                .sync()
                .channel()
        val clients =
            List<Channel>(connections) {
                Bootstrap()
                    .group(loops)
                    .channel(NioSocketChannel::class.java)
                    .option(ChannelOption.TCP_NODELAY, true)
                    .handler(Turns(roundTrips.Client()))
                    .connect(server.localAddress())
                    .sync()
                    .channel()
            }
        clients.forEach {
            it.writeAndFlush(it.alloc().directBuffer(MESSAGE).writeZero(MESSAGE))
        }
    }

    override fun close() {
        // The echo never falls silent, so it would wait for as long as it is allowed to.
        loops.shutdownGracefully(0, 0, java.util.concurrent.TimeUnit.SECONDS).sync()
    }

    /** Sends back whatever comes; a message is never split on loopback. */
    @Sharable
    private class Turns(private val client: RoundTrips.Client?) : ChannelInboundHandlerAdapter() {
        override fun channelRead(context: ChannelHandlerContext, message: Any) {
            client?.hasAnswer()
            client?.sends()
            context.writeAndFlush(message)
        }

        @Deprecated("in the interface")
        override fun exceptionCaught(context: ChannelHandlerContext, cause: Throwable) {
            context.close()
        }
    }
}
