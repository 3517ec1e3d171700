package dev.latencyhiding.nio

import dev.latencyhiding.LatencyHidingScheduler
import dev.latencyhiding.coroutines.asCoroutineDispatcher
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.io.IOException
import java.net.Socket
import java.util.concurrent.Semaphore
import java.util.concurrent.atomic.AtomicLong
import kotlin.concurrent.thread
import kotlin.random.Random
import kotlin.time.Duration.Companion.microseconds
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield

/** Cancellations at random points: nothing is lost, and nothing is left behind. */
class CancellationStressSpec :
    FunSpec({
        test("reads that are cancelled at random points get every byte, in order") {
            val cancellations = scaled(10_000, 200_000)
            onOwnScheduler {
                withPeer { connection, peer ->
                    val random = Random(1)
                    val isOver = AtomicLong()
                    // A line now and then, in pieces: no faster than reads are cancelled.
                    val mayWrite = Semaphore(0)
                    val sender = thread {
                        val out = peer.getOutputStream()
                        var i = 0
                        while (isOver.get() == 0L) {
                            val line = "line ${i++}\n".toByteArray()
                            out.write(line, 0, 3)
                            out.write(line, 3, line.size - 3)
                            mayWrite.acquire()
                        }
                        peer.shutdownOutput()
                    }
                    var cancelled = 0
                    var next = 0
                    while (cancelled < cancellations) {
                        coroutineScope {
                            val reading = launch {
                                while (true) {
                                    connection.readLine() shouldBe "line $next"
                                    next++
                                }
                            }
                            repeat(random.nextInt(5)) { yield() }
                            reading.cancelAndJoin()
                        }
                        cancelled++
                        mayWrite.release(random.nextInt(3))
                    }
                    isOver.set(1)
                    mayWrite.release()
                    while (true) {
                        val line = connection.readLine() ?: break
                        line shouldBe "line $next"
                        next++
                    }
                    sender.join()
                }
            }
        }

        test("whatever is cancelled, reset or closed: descriptors, buffers and deques are back") {
            val rounds = scaled(1_500, 40_000)
            val descriptors = openDescriptors()
            val lent = BufferPool.SHARED.lent()
            val scheduler =
                LatencyHidingScheduler.builder().parallelism(2).maxSpareWorkers(0).build()
            val random = Random(2)
            detached(scheduler.asCoroutineDispatcher()) {
                Server.listen(anyPort(), backlog = 1000).use { server ->
                    val serving = launch { server.serve(maxConnections = 50) { it.copyTo(it) } }
                    repeat(rounds) {
                        val seed = random.nextInt()
                        val clients = List(4) { launch { misbehave(server, Random(seed + it)) } }
                        delay(random.nextInt(300).microseconds)
                        if (random.nextBoolean()) clients.random(random).cancel()
                        clients.joinAll()
                    }
                    server.close()
                    serving.join()
                }
            }
            scheduler.statsWhenQuiet()
            scheduler.close()
            waitUntil({ "descriptors $descriptors, now ${openDescriptors()}" }) {
                openDescriptors() <= descriptors + 3
            }
            waitUntil({ "buffers $lent, now ${BufferPool.SHARED.lent()}" }) {
                BufferPool.SHARED.lent() <= lent
            }
        }
    })

/** A client that ends somewhere in the midst, in one way or another. */
private suspend fun misbehave(server: Server, random: Random) {
    if (random.nextInt(4) == 0) {
        Socket(LOOPBACK, server.localAddress.port).use { socket ->
            socket.getOutputStream().write(ByteArray(random.nextInt(20_000)))
            if (random.nextBoolean()) socket.reset()
        }
        return
    }
    try {
        val connection = Connection.connect(server.localAddress)
        connection.use {
            coroutineScope {
                val reading = launch { connection.readExactly(random.nextInt(30_000)) }
                val writing = launch { connection.writeFully(ByteArray(random.nextInt(30_000))) }
                if (random.nextBoolean()) delay(random.nextInt(500).microseconds)
                when (random.nextInt(4)) {
                    0 -> reading.cancel()
                    1 -> writing.cancel()
                    2 -> connection.close()
                    else -> {
                        writing.join()
                        connection.shutdownOutput()
                    }
                }
                withTimeoutOrNull(random.nextInt(2000).microseconds) { reading.join() }
                reading.cancel()
                writing.cancel()
            }
        }
    } catch (_: IOException) {
        // as it was asked for
    }
}
