package dev.latencyhiding.nio

import dev.latencyhiding.LatencyHidingScheduler
import dev.latencyhiding.SchedulerStats
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.net.ServerSocket
import java.nio.ByteBuffer
import java.nio.channels.AsynchronousFileChannel
import java.nio.channels.AsynchronousServerSocketChannel
import java.nio.channels.AsynchronousSocketChannel
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardOpenOption
import java.util.concurrent.ConcurrentLinkedQueue
import kotlin.concurrent.thread
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeoutOrNull

/**
 * Every wait gives the deque away, and the coroutine comes back to its bottom.
 *
 * The coroutine launches a, b and c, which lie in its deque in this order from the top, and waits.
 * Its worker is a thief then: it steals a, off the top. While a runs the wait ends, so the
 * coroutine is back, at the bottom; it goes on and launches d, above which nothing is. So d is
 * next, then c and b, and nobody had to mug the deque.
 */
class WhereSocketsResumeSpec :
    FunSpec({
        suspend fun onConnection(
            end: (java.net.Socket) -> Unit,
            wait: suspend (Connection) -> Unit,
        ) = withPeer { connection, peer ->
            orderAround({ end(peer) }) { wait(connection) }
        }

        fun send(bytes: Int): (java.net.Socket) -> Unit = {
            it.getOutputStream().write(ByteArray(bytes) { '\n'.code.toByte() })
        }

        val readAll: (java.net.Socket) -> Unit = { peer ->
            thread(isDaemon = true) { runCatching { peer.getInputStream().readAllBytes() } }
        }

        val reads =
            mapOf<String, suspend (Connection) -> Unit>(
                "readAvailable" to { it.readAvailable(ByteBuffer.allocate(1)) },
                "readExactly" to { it.readExactly(3) },
                "readAtLeast" to { it.readAtLeast(ByteBuffer.allocate(3), 1) },
                "readUntil" to { it.readUntil('\n'.code.toByte()) },
                "readLine" to { it.readLine() },
                "lines" to { it.lines().first() },
                "chunks" to { it.chunks().first() },
            )
        for ((name, read) in reads) {
            test("$name: back to the bottom of the deque it left") {
                onConnection(send(3), read)
            }
        }

        test("writeFully to a peer that does not read: back to the bottom of the deque it left") {
            withPeer { connection, peer ->
                // First the buffers are filled; the write that is cancelled stays pending.
                withTimeoutOrNull(1.seconds) { while (true) connection.writeFully(ByteArray(MUCH)) }
                orderAround({ readAll(peer) }) { scheduler ->
                    do connection.writeFully(ByteArray(1)) while (scheduler.hasNotWaited())
                }
            }
        }

        test("awaitRead: back to the bottom of the deque it left") {
            withRawPeer { channel, peer ->
                orderAround({ send(1)(peer) }) { channel.awaitRead(ByteBuffer.allocate(1)) }
            }
        }

        test("awaitWrite: back to the bottom of the deque it left") {
            withRawPeer { channel, peer ->
                orderAround({ readAll(peer) }) { scheduler ->
                    do channel.awaitWrite(ByteBuffer.allocate(MUCH)) while (
                        scheduler.hasNotWaited()
                    )
                }
            }
        }

        test("awaitAccept: back to the bottom of the deque it left") {
            val server = IoGroup.shared().openServerSocket().bind(anyPort())
            server.use {
                orderAround({ java.net.Socket(LOOPBACK, server.port).close() }) {
                    server.awaitAccept().close()
                }
            }
        }

        test("the server's accept loop: back to the bottom of the deque it left") {
            Server.listen(anyPort()).use { server ->
                orderAround({ java.net.Socket(LOOPBACK, server.localAddress.port).close() }) {
                    server.connections().first().close()
                }
            }
        }

        test("awaitLock: back to the bottom of the deque it left") {
            val path = Files.createTempFile("lock", null)
            val holder = holdLock(path)
            AsynchronousFileChannel.open(path, StandardOpenOption.WRITE).use { channel ->
                orderAround({ holder.outputStream.close() }) { channel.awaitLock().release() }
            }
            Files.delete(path)
        }
    })

private val AsynchronousServerSocketChannel.port
    get() = (localAddress as java.net.InetSocketAddress).port

private suspend fun withRawPeer(
    block: suspend (AsynchronousSocketChannel, java.net.Socket) -> Unit
) {
    ServerSocket(0, 50, LOOPBACK).use { server ->
        IoGroup.shared().openSocket().use { channel ->
            channel.awaitConnect(server.localSocketAddress)
            server.accept().use { block(channel, it) }
        }
    }
}

/** So that a few writes fill the socket's buffers: after many a coroutine lets others run. */
private const val MUCH = 1 shl 20

private fun LatencyHidingScheduler.hasNotWaited() = stats().resumes() == 0L

/** Returns when the lock is held. */
private fun holdLock(path: Path): Process {
    val java = Path.of(System.getProperty("java.home"), "bin", "java").toString()
    val classPath = System.getProperty("java.class.path")
    val holder = LockHolder::class.java.name
    val process =
        ProcessBuilder(java, "-cp", classPath, holder, path.toString(), "0", "${Long.MAX_VALUE}")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start()
    process.inputStream.bufferedReader().readLine() shouldBe "locked true"
    return process
}

private suspend fun orderAround(end: () -> Unit, wait: suspend (LatencyHidingScheduler) -> Unit) {
    val order = ConcurrentLinkedQueue<String>()
    val stats: SchedulerStats =
        onOwnScheduler(parallelism = 1) { scheduler ->
            fun node(name: String) = launch {
                order += name
                if (order.size == 1) {
                    // It is the first after the wait began: now the wait ends.
                    end()
                    spinUntil("the coroutine is back") { scheduler.stats().resumes() > 0 }
                }
            }
            val nodes = listOf("a", "b", "c").map { node(it) }
            wait(scheduler)
            order += "back"
            (nodes + node("d")).joinAll()
        }
    order.toList() shouldBe listOf("a", "back", "d", "c", "b")
    stats.muggings() shouldBe 0
    stats.guestRuns() shouldBe 0 // the only worker is busy: the I/O thread hands over
}
