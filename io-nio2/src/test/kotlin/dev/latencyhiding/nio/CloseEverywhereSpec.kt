package dev.latencyhiding.nio

import dev.latencyhiding.LatencyHidingScheduler
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.net.InetSocketAddress
import java.net.ServerSocket
import java.net.Socket
import kotlin.random.Random
import kotlin.time.Duration.Companion.microseconds
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.async
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.firstOrNull

/**
 * Every operation meets every kind of end, by either side: before it starts, while it waits, at a
 * random moment, and after another that went well. Each gives the documented exception, and
 * descriptors, buffers and deques are back afterwards.
 */
class CloseEverywhereSpec :
    FunSpec({
        val rounds = scaled(3, 200)

        for (operation in operations()) {
            for (end in End.entries.filter { it in operation.outcomes }) {
                for (moment in operation.moments) {
                    test("${operation.name}, ${end.text}, ${moment.text}") {
                        val lent = BufferPool.SHARED.lent()
                        repeat(rounds) { round ->
                            onOwnScheduler { Trial(it, operation, end, moment, round).run(this) }
                        }
                        waitUntil({ "buffers $lent, now ${BufferPool.SHARED.lent()}" }) {
                            BufferPool.SHARED.lent() <= lent
                        }
                    }
                }
            }
        }

        test("descriptors are back") {
            val before = openDescriptors()
            repeat(rounds) { round ->
                for (operation in operations()) {
                    for (end in operation.outcomes.keys) {
                        onOwnScheduler { Trial(it, operation, end, Moment.RANDOM, round).run(this) }
                    }
                }
            }
            waitUntil({ "descriptors $before, now ${openDescriptors()}" }) {
                openDescriptors() <= before + 3
            }
        }

        test("accept: closed before and while it waits") {
            onOwnScheduler { scheduler ->
                val closed = IoGroup.shared().openServerSocket().bind(anyPort())
                closed.close()
                outcomeOf { closed.awaitAccept() } shouldBe "ConnectionClosedException"
                val pending = IoGroup.shared().openServerSocket().bind(anyPort())
                val accepting = async { outcomeOf { pending.awaitAccept() } }
                scheduler.awaitSuspended(1)
                pending.close()
                accepting.await() shouldBe "ConnectionClosedException"
            }
        }

        test("a server that is closed before and while it waits ends its flow") {
            onOwnScheduler { scheduler ->
                val server = Server.listen(anyPort())
                val collecting = async { server.connections().firstOrNull() }
                scheduler.awaitSuspended(1)
                server.close()
                collecting.await() shouldBe null
                server.connections().firstOrNull() shouldBe null
            }
        }

        test("accept: the peer is gone before its turn") {
            for (end in listOf(Socket::close, Socket::reset)) {
                onOwnScheduler {
                    Server.listen(anyPort()).use { server ->
                        end(Socket(LOOPBACK, server.localAddress.port))
                        val next = Socket(LOOPBACK, server.localAddress.port)
                        next.getOutputStream().write(7)
                        // The first one is skipped, or ends with its first read.
                        server
                            .connections()
                            .firstOrNull { connection ->
                                outcomeOf { connection.readExactly(1) } == "ok"
                            }!!
                            .close()
                        next.close()
                    }
                }
            }
        }

        test("connect: closed before, while it waits, and after") {
            onOwnScheduler { scheduler ->
                ServerSocket(0, 1, LOOPBACK).use { server ->
                    val address = server.localSocketAddress as InetSocketAddress
                    val closed = IoGroup.shared().openSocket()
                    closed.close()
                    outcomeOf { closed.awaitConnect(address) } shouldBe "ConnectionClosedException"

                    // The listen queue is full: the next one waits.
                    val fillers = List(3) { IoGroup.shared().openSocket() }
                    val filling = fillers.map { async { outcomeOf { it.awaitConnect(address) } } }
                    val pending = IoGroup.shared().openSocket()
                    val connecting = async { outcomeOf { pending.awaitConnect(address) } }
                    scheduler.awaitSuspended(1)
                    (fillers + pending).forEach { it.close() }
                    for (outcome in (filling + connecting).map { it.await() }) {
                        (outcome == "ok" || outcome == "ConnectionClosedException") shouldBe true
                    }
                    (connecting.await() == "ConnectionClosedException" ||
                        filling.any { it.await() == "ConnectionClosedException" }) shouldBe true
                }
            }
        }

        for (end in listOf(End.PEER_CLOSES, End.PEER_RESETS, End.PEER_HALF_CLOSES, End.CLOSES)) {
            for (before in listOf(0, 3)) {
                test("TLS handshake, ${end.text}, after $before bytes") {
                    repeat(rounds) { handshake(end, before) }
                }
            }
        }
    })

private enum class End(val text: String, val act: suspend (Connection, Socket) -> Unit) {
    CLOSES("closed on this side", { connection, _ -> connection.close() }),
    HALF_CLOSES("output shut down on this side", { connection, _ -> connection.shutdownOutput() }),
    PEER_CLOSES("closed by the peer", { _, peer -> peer.close() }),
    PEER_HALF_CLOSES("output shut down by the peer", { _, peer -> peer.shutdownOutput() }),
    PEER_RESETS("reset by the peer", { _, peer -> peer.reset() }),
}

private enum class Moment(val text: String) {
    BEFORE("before it starts"),
    DURING("while it waits"),
    RANDOM("at any time"),
    AFTER("after one that went well"),
}

/** [outcomes] has what may come of it; "ok" if it goes on as if nothing had happened. */
private class TriedOperation(
    val name: String,
    val outcomes: Map<End, Set<String>>,
    val moments: List<Moment>,
    val perform: suspend (Connection) -> Unit,
)

private const val CLOSED = "ConnectionClosedException"
private const val RESET = "ConnectionResetException"
private const val ENDED = "EndOfStreamException"
private const val OK = "ok"
private const val MUCH = 20_000_000

private fun operations(): List<TriedOperation> {
    val reads =
        mapOf(
            End.CLOSES to setOf(CLOSED),
            End.HALF_CLOSES to setOf(OK),
            End.PEER_CLOSES to setOf(ENDED),
            End.PEER_HALF_CLOSES to setOf(ENDED),
            End.PEER_RESETS to setOf(RESET),
        )
    // Nobody reads what it writes, so it cannot end before the other end does something about it.
    val writes =
        mapOf(
            End.CLOSES to setOf(CLOSED),
            End.PEER_CLOSES to setOf(RESET),
            End.PEER_RESETS to setOf(RESET),
        )
    return listOf(
        TriedOperation("readExactly", reads, Moment.entries) { it.readExactly(1) },
        TriedOperation("readLine", reads, Moment.entries) {
            it.readLine() ?: throw EndOfStreamException("read from", null, "no line")
        },
        TriedOperation("request", reads, Moment.entries) {
            if (!it.request(1)) throw EndOfStreamException("read from", null, "no byte")
        },
        TriedOperation("writeFully", writes, Moment.entries - Moment.AFTER) {
            it.writeFully(ByteArray(MUCH))
        },
        TriedOperation("flush", writes, Moment.entries - Moment.AFTER) {
            it.write(ByteArray(MUCH))
            it.flush()
        },
    )
}

private class Trial(
    private val scheduler: LatencyHidingScheduler,
    private val operation: TriedOperation,
    private val end: End,
    private val moment: Moment,
    private val round: Int,
) {
    suspend fun run(scope: CoroutineScope) = withPeer { connection, peer ->
        val out = peer.getOutputStream()
        if (moment == Moment.AFTER) {
            out.write('\n'.code)
            outcomeOf { operation.perform(connection) } shouldBe OK
            if (operation.name == "request") connection.readExactly(1)
        }
        if (moment == Moment.BEFORE || moment == Moment.AFTER) end.act(connection, peer)
        val outcome =
            scope.async(start = CoroutineStart.DEFAULT) {
                outcomeOf { operation.perform(connection) }
            }
        if (moment == Moment.DURING) {
            scheduler.awaitSuspended(1)
            end.act(connection, peer)
        }
        if (moment == Moment.RANDOM) {
            delay(Random(round).nextInt(300).microseconds)
            end.act(connection, peer)
        }
        // It goes on as if nothing had happened: the peer answers.
        if (end == End.HALF_CLOSES) out.write('\n'.code)
        withClue("${outcome.await()} in round $round") {
            (outcome.await() in operation.outcomes.getValue(end)) shouldBe true
        }
    }
}

private suspend fun handshake(end: End, before: Int) {
    val lent = BufferPool.SHARED.lent()
    onOwnScheduler { scheduler ->
        withPeer { connection, peer ->
            val shaking = async {
                outcomeOf {
                    connection.startTls(javax.net.ssl.SSLContext.getDefault(), "localhost")
                }
            }
            scheduler.awaitSuspended(1)
            // The beginning of a record that is longer.
            peer.getOutputStream().write(byteArrayOf(22, 3, 3, 0, 90), 0, before)
            end.act(connection, peer)
            val expected = if (end == End.CLOSES) setOf(CLOSED) else setOf(ENDED, RESET)
            withClue(shaking.await()) { (shaking.await() in expected) shouldBe true }
        }
    }
    waitUntil({ "buffers $lent, now ${BufferPool.SHARED.lent()}" }) {
        BufferPool.SHARED.lent() <= lent
    }
}

/** The class of what it throws, or "ok". Exceptions other than those of sockets go through. */
private suspend fun outcomeOf(operation: suspend () -> Any?): String =
    try {
        operation()
        OK
    } catch (e: java.io.IOException) {
        (e is SocketFailure) shouldBe true
        e::class.simpleName!!
    }

private fun LatencyHidingScheduler.awaitSuspended(deques: Long) =
    spinUntil("$deques deques are suspended") { stats().suspendedDeques() >= deques }
