package dev.latencyhiding.nio

import dev.latencyhiding.LatencyHidingScheduler
import dev.latencyhiding.coroutines.LatencyHiding
import dev.latencyhiding.coroutines.asCoroutineDispatcher
import io.kotest.core.spec.style.FunSpec
import io.kotest.core.test.Enabled
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import java.lang.management.ManagementFactory
import java.nio.ByteBuffer
import java.nio.channels.AsynchronousSocketChannel
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch

/** What idle connections cost, and that a busy one leaves room for others. */
class ManyConnectionsSpec :
    FunSpec({
        val count = 5_000
        val isPossible = maxDescriptors() >= 2L * count + 500

        test("$count open idle connections take no CPU and less than 2 KiB of heap each").config(
            enabledOrReasonIf = {
                if (isPossible) Enabled.enabled
                else Enabled.disabled("needs ${2 * count + 500} descriptors (ulimit -n)")
            }
        ) {
            val scheduler = LatencyHidingScheduler.builder().parallelism(2).build()
            detached(scheduler.asCoroutineDispatcher()) {
                val server = IoGroup.shared().openServerSocket().bind(anyPort(), count)
                val accepting = async { List(count) { server.awaitAccept() } }
                val channels = ArrayList<AsynchronousSocketChannel>()
                repeat(count) {
                    channels +=
                        IoGroup.shared().openSocket().also {
                            it.awaitConnect(server.localAddress)
                        }
                }
                val peers = accepting.await()
                val before = usedHeap()
                val connections = channels.map { Connection.over(it) }
                val readers = connections.map { launch { it.readLine() } }
                while (scheduler.stats().openSuspensions() < count) delay(1)
                val each = (usedHeap() - before) / count
                each shouldBeLessThan 2048
                println("heap of an idle connection whose coroutine reads: $each bytes")
                val cpu = cpuMillisWithin(1000)
                println("CPU of $count idle connections in a second: $cpu ms")
                cpu shouldBeLessThan 100
                readers.forEach { it.cancel() }
                readers.joinAll()
                connections.forEach { it.close() }
                peers.forEach { it.close() }
                server.close()
            }
            scheduler.statsWhenQuiet()
            scheduler.close()
        }

        test("a socket that is always ready does not starve others on its worker") {
            onOwnScheduler(parallelism = 1) {
                Server.listen(anyPort()).use { server ->
                    val reads = AtomicInteger()
                    val serving =
                        launch(LatencyHiding) {
                            server.serve { connection ->
                                // The firehose: on other workers, so that it is always ahead.
                                while (true) connection.writeFully(ByteArray(8192))
                            }
                        }
                    val connection = Connection.connect(server.localAddress)
                    val drinking: Job = launch {
                        val buffer = ByteBuffer.allocateDirect(16)
                        while (true) {
                            connection.readAvailable(buffer.clear())
                            reads.incrementAndGet()
                        }
                    }
                    // Would never come back if the reader kept the only worker.
                    repeat(50) { delay(1) }
                    reads.get() shouldBeGreaterThan 0
                    drinking.cancelAndJoin()
                    connection.close()
                    server.close()
                    serving.cancelAndJoin()
                }
            }
        }

        test("10,000 connections' worth of buffers fit into their direct memory") {
            val pool = BufferPool()
            val chunks = List(10_000) { pool.take() }
            pool.lent() shouldBe 10_000
            chunks.forEach { pool.give(it) }
            pool.lent() shouldBe 0
        }
    })

private fun usedHeap(): Long {
    repeat(3) { System.gc() }
    return ManagementFactory.getMemoryMXBean().heapMemoryUsage.used
}

/**
 * Of the threads that belong to the library; the compiler and the collector have work of their own.
 */
private suspend fun cpuMillisWithin(millis: Long): Long {
    val before = cpuNanos()
    delay(millis)
    return (cpuNanos() - before) / 1_000_000
}

private fun cpuNanos(): Long {
    val threads = ManagementFactory.getThreadMXBean()
    return Thread.getAllStackTraces()
        .keys
        .filter { thread ->
            listOf("-worker-", "-io-", "-timer", "-watchdog").any { it in thread.name }
        }
        .sumOf { threads.getThreadCpuTime(it.id).coerceAtLeast(0) }
}
