package dev.latencyhiding.nio

import dev.latencyhiding.coroutines.LatencyHiding
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import java.nio.ByteBuffer
import java.nio.channels.AsynchronousFileChannel
import java.nio.file.Files
import java.nio.file.StandardOpenOption
import kotlin.random.Random
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeoutOrNull

/** The buffered level, against a blocking socket of the JDK. */
class ConnectionSpec :
    FunSpec({
        test("reads: available, exactly, at least, until") {
            onPeer { connection, peer ->
                peer.getOutputStream().write("abcdefghij;k;l".toByteArray())
                peer.shutdownOutput()
                connection.request(14) shouldBe true
                connection.request(15) shouldBe false
                connection.readExactly(2).decodeToString() shouldBe "ab"
                val buffer = ByteBuffer.allocate(4)
                connection.readAtLeast(buffer, 1)
                connection.readExactly(buffer)
                buffer.flip().text() shouldBe "cdef"
                connection.readUntil(';'.code.toByte())?.decodeToString() shouldBe "ghij"
                connection.readAvailable(ByteBuffer.allocate(0)) shouldBe 0
                connection.readUntil(';'.code.toByte())?.decodeToString() shouldBe "k"
                connection.readUntil(';'.code.toByte())?.decodeToString() shouldBe "l"
                connection.readUntil(';'.code.toByte()) shouldBe null
                connection.readAvailable(ByteBuffer.allocate(1)) shouldBe -1
                connection.readLine() shouldBe null
            }
        }

        test("lines: endings, UTF-8 across reads, the last without an ending") {
            onPeer { connection, peer ->
                val text = "one\r\ntwo\n\nüber\r\n\rx\nlast"
                coroutineScope {
                    launch(Dispatchers.IO) {
                        for (byte in text.toByteArray()) {
                            peer.getOutputStream().write(byte.toInt())
                        }
                        peer.shutdownOutput()
                    }
                    connection.lines().toList() shouldBe
                        listOf("one", "two", "", "über", "\rx", "last")
                }
            }
            onPeer { connection, peer ->
                peer.getOutputStream().write("a\r\nb\nc".toByteArray())
                peer.shutdownOutput()
                connection.readLine(ending = LineEnding.LF) shouldBe "a\r"
                shouldThrow<NetworkException> { connection.readLine(ending = LineEnding.CRLF) }
                connection.readLine() shouldBe "b"
                shouldThrow<EndOfStreamException> { connection.readLine(ending = LineEnding.CRLF) }
            }
        }

        test("a line that is too long fails as soon as the limit is passed") {
            onPeer { connection, peer ->
                peer.getOutputStream().write("1234\n12345".toByteArray())
                connection.readLine(limit = 4) shouldBe "1234"
                val e = shouldThrow<TooLongLineException> { connection.readLine(limit = 4) }
                e.message shouldContain "read from ${connection.remoteAddress}: more than 4 bytes"
                connection.readExactly(5).decodeToString() shouldBe "12345"
            }
        }

        test("lines longer than the buffer") {
            onPeer { connection, peer ->
                val line = "x".repeat(100_000)
                coroutineScope {
                    launch(Dispatchers.IO) {
                        peer.getOutputStream().write("$line\n$line\n".toByteArray())
                    }
                    repeat(2) { connection.readLine(limit = 100_000) shouldBe line }
                }
            }
        }

        test("flows stop without closing or losing anything") {
            onPeer { connection, peer ->
                peer.getOutputStream().write("a\nb\nc\nd\n".toByteArray())
                peer.shutdownOutput()
                connection.lines().take(2).toList() shouldBe listOf("a", "b")
                val seen = StringBuilder()
                connection.chunks().take(1).collect { seen.append(Char(it.get().toInt())) }
                seen.toString() shouldBe "c"
                connection.readLine() shouldBe ""
                connection.chunks().collect { seen.append(it.text()) }
                seen.toString() shouldBe "cd\n"
            }
        }

        test("the stream ends in the midst of a frame") {
            onPeer { connection, peer ->
                peer.getOutputStream().write("abc".toByteArray())
                peer.shutdownOutput()
                val e = shouldThrow<EndOfStreamException> { connection.readExactly(5) }
                e.message shouldContain "after 3 of 5 bytes"
                val buffer = ByteBuffer.allocate(5)
                shouldThrow<EndOfStreamException> { connection.readExactly(buffer) }
                buffer.flip().text() shouldBe "abc"
            }
        }

        test("writes: buffered, flushed, larger than the buffer") {
            onPeer { connection, peer ->
                connection.write("ab")
                connection.write(ByteBuffer.wrap("cd".toByteArray()))
                peer.getInputStream().available() shouldBe 0
                connection.flush()
                String(peer.getInputStream().readNBytes(4)) shouldBe "abcd"
                val large = Random(1).nextBytes(1_000_000)
                val received = coroutineScope {
                    val reading =
                        async(Dispatchers.IO) { peer.getInputStream().readNBytes(large.size) }
                    connection.writeFully(large)
                    reading.await()
                }
                received.contentEquals(large) shouldBe true
            }
        }

        test("half-close: this side first, then the peer") {
            onPeer { connection, peer ->
                connection.write("request")
                connection.shutdownOutput()
                String(peer.getInputStream().readAllBytes()) shouldBe "request"
                peer.getOutputStream().write("answer".toByteArray())
                peer.shutdownOutput()
                connection.readLine() shouldBe "answer"
            }
        }

        test("half-close: the peer first; writing goes on") {
            onPeer { connection, peer ->
                peer.shutdownOutput()
                connection.readLine() shouldBe null
                connection.writeFully("still here")
                connection.shutdownOutput()
                String(peer.getInputStream().readAllBytes()) shouldBe "still here"
            }
        }

        test("a second reader gets a clear error; the first goes on") {
            onPeer { connection, peer ->
                coroutineScope {
                    val first = async(start = CoroutineStart.UNDISPATCHED) { connection.readLine() }
                    shouldThrow<IllegalStateException> { connection.readLine() }
                        .message shouldContain "another coroutine is reading"
                    peer.getOutputStream().write("x\n".toByteArray())
                    first.await() shouldBe "x"
                }
            }
        }

        test("writers take turns, and no write is torn apart") {
            onPeer { connection, peer ->
                val writers = 50
                val received = coroutineScope {
                    val reading = async(Dispatchers.IO) { peer.getInputStream().readAllBytes() }
                    coroutineScope {
                        for (writer in 0 until writers) {
                            launch {
                                repeat(20) {
                                    connection.writeFully(ByteArray(1000) { writer.toByte() })
                                }
                            }
                        }
                    }
                    connection.shutdownOutput()
                    reading.await()
                }
                received.size shouldBe writers * 20 * 1000
                received.asList().chunked(1000).all { it.distinct().size == 1 } shouldBe true
            }
        }

        test(
            "after a timeout the connection is usable, and the next read has what came meanwhile"
        ) {
            onPeer { connection, peer ->
                peer.getOutputStream().write("hal".toByteArray())
                withTimeoutOrNull(50.milliseconds) { connection.readLine() } shouldBe null
                peer.getOutputStream().write("f\nnext\n".toByteArray())
                connection.readLine() shouldBe "half"
                connection.readLine() shouldBe "next"
            }
        }

        test("a write that is cancelled while the peer does not read is sent when it does") {
            onPeer { connection, peer ->
                // Until the system takes no more.
                var written = 0
                val block = ByteArray(8000) { 7 }
                while (
                    withTimeoutOrNull(200.milliseconds) { connection.writeFully(block) } != null
                ) {
                    written++
                }
                val received = coroutineScope {
                    val reading = async(Dispatchers.IO) { peer.getInputStream().readAllBytes() }
                    connection.writeFully("end")
                    connection.shutdownOutput()
                    reading.await()
                }
                // The one that was cancelled had been taken over whole.
                received.size shouldBe (written + 1) * block.size + 3
                received.takeLast(3).toByteArray().decodeToString() shouldBe "end"
            }
        }

        test("reset by the peer while reading and while writing") {
            onPeer { connection, peer ->
                coroutineScope {
                    val reading = attempt { connection.readLine() }
                    connection.writeFully("unread")
                    peer.reset()
                    val e = shouldThrow<ConnectionResetException> { reading.await().getOrThrow() }
                    e.operation shouldBe "read from"
                    e.peer shouldBe connection.remoteAddress
                    shouldThrow<ConnectionResetException> {
                        repeat(100) { connection.writeFully(ByteArray(10_000)) }
                    }
                    // And so it stays.
                    shouldThrow<ConnectionResetException> { connection.readLine() }
                    shouldThrow<ConnectionResetException> { connection.writeFully("x") }
                }
            }
        }

        test("closed while pending, and used after close") {
            onPeer { connection, _ ->
                coroutineScope {
                    val reading = attempt {
                        connection.readLine()
                    }
                    connection.close()
                    connection.close()
                    shouldThrow<ConnectionClosedException> { reading.await().getOrThrow() }
                    shouldThrow<ConnectionClosedException> { connection.readLine() }
                    shouldThrow<ConnectionClosedException> { connection.writeFully("x") }
                        .message shouldContain "closed on this side"
                }
            }
        }

        test("a cancelled coroutine sees nothing but its cancellation") {
            onPeer { connection, _ ->
                coroutineScope {
                    var seen: Throwable? = null
                    val reading =
                        launch(start = CoroutineStart.UNDISPATCHED) {
                            try {
                                connection.readLine()
                            } catch (e: Throwable) {
                                seen = e
                                throw e
                            }
                        }
                    reading.cancel()
                    connection.close()
                    reading.join()
                    (seen is kotlinx.coroutines.CancellationException) shouldBe true
                }
            }
        }

        test("copy from one connection to another, and a file to a socket") {
            val bytes = Random(2).nextBytes(300_000)
            val path = Files.createTempFile("send", null)
            Files.write(path, bytes)
            detached(LatencyHiding) {
                Server.listen(anyPort()).use { server ->
                    val serving = launch { server.serve { it.copyTo(it) } }
                    val received =
                        Connection.connect(server.localAddress).use { connection ->
                            val sending = launch {
                                AsynchronousFileChannel.open(path, StandardOpenOption.READ).use {
                                    connection.writeFrom(it) shouldBe bytes.size
                                    connection.writeFrom(it, position = 299_990) shouldBe 10
                                    connection.writeFrom(it, position = 5, count = 3) shouldBe 3
                                }
                            }
                            connection.readExactly(bytes.size + 13).also { sending.join() }
                        }
                    received.copyOf(bytes.size).contentEquals(bytes) shouldBe true
                    received.drop(bytes.size) shouldBe bytes.takeLast(10) + bytes.slice(5 until 8)
                    server.close()
                    serving.join()
                }
            }
            Files.delete(path)
        }

        test("bad arguments") {
            onPeer { connection, _ ->
                shouldThrow<IllegalArgumentException> { connection.readExactly(-1) }
                shouldThrow<IllegalArgumentException> { connection.readLine(limit = -1) }
                shouldThrow<IllegalArgumentException> {
                    connection.readAtLeast(ByteBuffer.allocate(1), 2)
                }
            }
            shouldThrow<IllegalArgumentException> { Server.listen(anyPort(), backlog = -1) }
            Server.listen(anyPort()).use { server ->
                shouldThrow<java.net.BindException> { Server.listen(server.localAddress) }
                    .message shouldContain server.localAddress.toString()
                shouldThrow<IllegalArgumentException> { server.serve(0) {} }
            }
        }

        test("refused") {
            detached(LatencyHiding) {
                val address = Server.listen(anyPort()).use { it.localAddress }
                shouldThrow<ConnectionRefusedException> { Connection.connect(address) }
            }
        }
    })

private fun ByteBuffer.text() = Charsets.UTF_8.decode(this).toString()

/** On the shared scheduler; afterwards all buffers are back. */
private suspend fun onPeer(block: suspend (Connection, java.net.Socket) -> Unit) {
    val lent = BufferPool.SHARED.lent()
    detached(LatencyHiding) { withPeer { connection, peer -> block(connection, peer) } }
    waitUntil({ "buffers are back: ${BufferPool.SHARED.lent()}, before $lent" }) {
        BufferPool.SHARED.lent() <= lent
    }
}
