package dev.latencyhiding.nio

import dev.latencyhiding.coroutines.LatencyHiding
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import java.net.InetSocketAddress
import java.net.ServerSocket
import java.nio.ByteBuffer
import java.nio.channels.AsynchronousFileChannel
import java.nio.channels.AsynchronousSocketChannel
import java.nio.channels.CompletionHandler
import java.nio.channels.ReadPendingException
import java.nio.file.Files
import java.nio.file.StandardOpenOption
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext

/** The raw level: the suspending forms of what the JDK's channels do. */
class AwaitSpec :
    FunSpec({
        for (dispatcher in listOf(LatencyHiding, Dispatchers.Default)) {
            test("connect, accept, write and read on $dispatcher") {
                detached(dispatcher) {
                    IoGroup.shared().openServerSocket().bind(anyPort()).use { server ->
                        val accepted = async { server.awaitAccept() }
                        IoGroup.shared().openSocket().use { client ->
                            client.awaitConnect(server.localAddress)
                            accepted.await().use { peer ->
                                client.awaitWrite(ByteBuffer.wrap("hello".toByteArray())) shouldBe 5
                                val buffer = ByteBuffer.allocate(10)
                                peer.awaitRead(buffer) shouldBe 5
                                String(buffer.array(), 0, 5) shouldBe "hello"
                                client.shutdownOutput()
                                peer.awaitRead(buffer) shouldBe -1
                            }
                        }
                    }
                }
            }
        }

        test("cancelling a read closes the channel and frees the deque") {
            ServerSocket(0, 50, LOOPBACK).use { server ->
                onOwnScheduler {
                    IoGroup.shared().openSocket().use { client ->
                        client.awaitConnect(server.localSocketAddress)
                        val reader =
                            launch(start = CoroutineStart.UNDISPATCHED) {
                                client.awaitRead(ByteBuffer.allocate(1))
                            }
                        reader.cancelAndJoin()
                        reader.isCancelled shouldBe true
                        client.isOpen shouldBe false
                    }
                }
            }
        }

        test("a second read at the same time is refused by the channel") {
            ServerSocket(0, 50, LOOPBACK).use { server ->
                detached(LatencyHiding) {
                    IoGroup.shared().openSocket().use { client ->
                        client.awaitConnect(server.localSocketAddress)
                        val reader =
                            launch(start = CoroutineStart.UNDISPATCHED) {
                                client.awaitRead(ByteBuffer.allocate(1))
                            }
                        shouldThrow<ReadPendingException> {
                            client.awaitRead(ByteBuffer.allocate(1))
                        }
                        reader.cancelAndJoin()
                    }
                }
            }
        }

        test("a connection that comes in while its accept is cancelled is closed, not leaked") {
            val before = openDescriptors()
            detached(LatencyHiding) {
                repeat(scaled(300, 10_000)) { round ->
                    IoGroup.shared().openServerSocket().bind(anyPort()).use { server ->
                        val accept = launch { server.awaitAccept().close() }
                        val connect = launch {
                            IoGroup.shared().openSocket().use {
                                try {
                                    it.awaitConnect(server.localAddress)
                                } catch (_: java.io.IOException) {
                                    // the listening socket was closed first
                                }
                            }
                        }
                        repeat(round % 50) { kotlinx.coroutines.yield() }
                        accept.cancel()
                        joinAll(accept, connect)
                    }
                }
            }
            // An accepted channel without an owner would stay open.
            waitUntil({ "descriptors $before, now ${openDescriptors()}" }) {
                openDescriptors() <= before + 3
            }
        }

        test("cancelling a connect closes the channel") {
            detached(LatencyHiding) {
                // TEST-NET-1: nobody answers, or the network is unreachable at once.
                val channel = IoGroup.shared().openSocket()
                val connect =
                    launch(start = CoroutineStart.UNDISPATCHED) {
                        try {
                            channel.awaitConnect(InetSocketAddress("192.0.2.1", 9))
                        } catch (_: java.io.IOException) {
                            // refused by the network
                        }
                    }
                connect.cancelAndJoin()
                channel.isOpen shouldBe false
            }
        }

        test("refused: the exception names the operation and the peer") {
            val port = ServerSocket(0, 1, LOOPBACK).use { it.localPort }
            detached(LatencyHiding) {
                val address = InetSocketAddress(LOOPBACK, port)
                val e =
                    shouldThrow<ConnectionRefusedException> {
                        IoGroup.shared().openSocket().awaitConnect(address)
                    }
                e.operation shouldBe "connect to"
                e.peer shouldBe address
                e.message shouldContain "connect to $address: connection refused"
            }
        }

        test("closed while pending") {
            ServerSocket(0, 50, LOOPBACK).use { server ->
                detached(LatencyHiding) {
                    val client = IoGroup.shared().openSocket()
                    client.awaitConnect(server.localSocketAddress)
                    val reader = attempt {
                        client.awaitRead(ByteBuffer.allocate(1))
                    }
                    launch(Dispatchers.Default) { client.close() }
                    val e = shouldThrow<ConnectionClosedException> { reader.await().getOrThrow() }
                    e.operation shouldBe "read from"
                }
            }
        }

        test("locks of a file") {
            val path = Files.createTempFile("lock", null)
            val channel =
                AsynchronousFileChannel.open(
                    path,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.READ,
                    StandardOpenOption.DELETE_ON_CLOSE,
                )
            channel.use {
                detached(LatencyHiding) {
                    channel.awaitWrite(ByteBuffer.wrap(byteArrayOf(1, 2, 3)), 0) shouldBe 3
                    val buffer = ByteBuffer.allocate(2)
                    channel.awaitRead(buffer, 1) shouldBe 2
                    buffer.array().toList() shouldBe listOf<Byte>(2, 3)
                    channel.awaitLock().use { it.isValid shouldBe true }
                    channel.awaitLock(1, 2, shared = true).use { it.isShared shouldBe true }
                }
            }
        }

        test("an I/O thread survives a handler that throws") {
            IoGroup.open("survivor", 1).use { group ->
                ServerSocket(0, 50, LOOPBACK).use { server ->
                    val client = group.openSocket()
                    detached(LatencyHiding) { client.awaitConnect(server.localSocketAddress) }
                    val peer = server.accept()
                    val thrown = CompletableFuture<Throwable>()
                    val usual = Thread.getDefaultUncaughtExceptionHandler()
                    Thread.setDefaultUncaughtExceptionHandler { _, e -> thrown.complete(e) }
                    try {
                        client.read(ByteBuffer.allocate(1), null, Throws)
                        peer.getOutputStream().write(1)
                        thrown
                            .get(DEADLINE.inWholeSeconds, TimeUnit.SECONDS)
                            .shouldBeInstanceOf<AssertionError>()
                    } finally {
                        Thread.setDefaultUncaughtExceptionHandler(usual)
                    }
                    detached(LatencyHiding) {
                        val read = async { client.awaitRead(ByteBuffer.allocate(1)) }
                        withContext(Dispatchers.IO) { peer.getOutputStream().write(2) }
                        read.await() shouldBe 1
                    }
                    peer.close()
                }
            }
        }

        test("closing a group closes its channels and ends its threads") {
            val group = IoGroup.open("short-lived", 2)
            ServerSocket(0, 50, LOOPBACK).use { server ->
                val client = group.openSocket()
                detached(LatencyHiding) {
                    client.awaitConnect(server.localSocketAddress)
                    val reader = attempt {
                        client.awaitRead(ByteBuffer.allocate(1))
                    }
                    group.close()
                    shouldThrow<ConnectionClosedException> { reader.await().getOrThrow() }
                }
            }
            shouldThrow<ConnectionClosedException> { group.openSocket() }
            waitUntil({ "the threads end" }) {
                Thread.getAllStackTraces().keys.none { it.name.startsWith("short-lived") }
            }
            shouldThrow<UnsupportedOperationException> { IoGroup.shared().close() }
            shouldThrow<IllegalArgumentException> { IoGroup.open("x", 0) }
            shouldThrow<IllegalArgumentException> { IoGroup.open(" ", 1) }
        }

        test("handlers of one's own, each of which starts the next read, do not pile up") {
            IoGroup.open("chain", 1).use { group ->
                ServerSocket(0, 50, LOOPBACK).use { server ->
                    val client = group.openSocket()
                    detached(LatencyHiding) { client.awaitConnect(server.localSocketAddress) }
                    val bytes = 100_000
                    server.accept().use { it.getOutputStream().write(ByteArray(bytes)) }
                    val chain = Chain(client, bytes)
                    chain.next()
                    chain.end.get(DEADLINE.inWholeSeconds, TimeUnit.SECONDS)
                    chain.deepest.toLong() shouldBeLessThanOrEqual 500
                }
            }
        }
    })

private object Throws : CompletionHandler<Int, Any?> {
    override fun completed(result: Int, attachment: Any?) = throw AssertionError("of a handler")

    override fun failed(exc: Throwable, attachment: Any?) = Unit
}

/** Reads byte after byte. */
private class Chain(private val channel: AsynchronousSocketChannel, private var left: Int) :
    CompletionHandler<Int, Any?> {
    val end = CompletableFuture<Unit>()
    var deepest = 0

    fun next() {
        channel.read(ByteBuffer.allocate(1), null, this)
    }

    override fun completed(result: Int, attachment: Any?) {
        if (left % 1000 == 0) deepest = maxOf(deepest, Throwable().stackTrace.size)
        if (--left == 0) end.complete(Unit) else next()
    }

    override fun failed(exc: Throwable, attachment: Any?) {
        end.completeExceptionally(exc)
    }
}
