package dev.latencyhiding.benchmarks.figures

import dev.latencyhiding.LatencyHidingScheduler
import dev.latencyhiding.coroutines.asCoroutineDispatcher
import dev.latencyhiding.nio.Connection
import dev.latencyhiding.nio.Server
import dev.latencyhiding.nio.copyTo
import java.lang.management.ManagementFactory
import java.net.InetAddress
import java.net.InetSocketAddress
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.LongAdder
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.async
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/**
 * Ping-pong of 64 bytes over loopback, both ends in this process: round trips per second and CPU
 * for each. Then round trips beside a fork tree that saturates the same dispatcher. Claims what a
 * change of threads costs, not what a network does.
 */
private const val WARM_UP_MILLIS = 1500L
private const val MILLIS = 2000L
private const val PACE_MILLIS = 5L
private const val LOAD_SECONDS = 4L
private const val NODE_NANOS = 1_000_000L

fun main(args: Array<String>) {
    val rounds = args.getOrNull(0)?.toInt() ?: 1
    val only = args.getOrNull(1)
    println(
        "JDK ${Runtime.version()}, ${Runtime.getRuntime().availableProcessors()} processors, $MESSAGE bytes"
    )
    for (connections in listOf(1, 64, 1000)) {
        println("\n$connections connections: round trips per second, µs of CPU each")
        repeat(rounds) {
            for ((name, make) in echoPeers()) {
                if (only != null && !name.contains(only)) continue
                println("  %-28s %s".format(name, measure(make, connections)))
            }
        }
    }
    println("\nround trips every $PACE_MILLIS ms beside a fork tree of 1 ms nodes")
    repeat(rounds) {
        println("  %-28s %s".format("LatencyHiding", underLoad(scheduler())))
        println("  %-28s %s".format("Default", underLoad(Dispatchers.Default)))
    }
}

private fun scheduler(): CoroutineDispatcher =
    LatencyHidingScheduler.builder().build().asCoroutineDispatcher()

private fun measure(make: () -> EchoPeer, connections: Int): String {
    val roundTrips = LongAdder()
    make().use { peer ->
        peer.start(connections, roundTrips)
        Thread.sleep(WARM_UP_MILLIS)
        val cpu = cpuNanos()
        val count = roundTrips.sum()
        val began = System.nanoTime()
        Thread.sleep(MILLIS)
        val done = roundTrips.sum() - count
        val seconds = (System.nanoTime() - began) / 1e9
        return "%8.0f/s  %6.1f".format(done / seconds, (cpuNanos() - cpu) / 1e3 / done)
    }
}

private fun cpuNanos(): Long =
    (ManagementFactory.getOperatingSystemMXBean() as com.sun.management.OperatingSystemMXBean)
        .processCpuTime

private fun underLoad(dispatcher: CoroutineDispatcher): String {
    val scope = CoroutineScope(dispatcher + SupervisorJob())
    val isOver = AtomicBoolean()
    val server = Server.listen(InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
    scope.launch { server.serve { it.copyTo(it) } }
    val times = scope.async { roundTripTimes(server, isOver) }
    scope.launch { while (!isOver.get()) tree(10, isOver) }
    Thread.sleep(TimeUnit.SECONDS.toMillis(LOAD_SECONDS))
    isOver.set(true)
    val result = runBlocking { times.await() }
    server.close()
    scope.cancel()
    if (dispatcher !== Dispatchers.Default) (dispatcher as AutoCloseable).close()
    return "%5d   %s".format(result.size, Quantiles.of(result))
}

/** Both ends compete with the load. */
private suspend fun roundTripTimes(server: Server, isOver: AtomicBoolean): LongArray {
    val times = ArrayList<Long>()
    Connection.connect(server.localAddress).use { connection ->
        while (!isOver.get()) {
            val began = System.nanoTime()
            connection.writeFully(ByteArray(MESSAGE))
            connection.readExactly(MESSAGE)
            times += System.nanoTime() - began
            delay(PACE_MILLIS)
        }
    }
    return times.toLongArray()
}

private suspend fun tree(depth: Int, isOver: AtomicBoolean): Unit = coroutineScope {
    if (isOver.get()) return@coroutineScope
    if (depth == 0) {
        Spin.forNanos(NODE_NANOS)
    } else {
        launch { tree(depth - 1, isOver) }
        launch { tree(depth - 1, isOver) }
    }
}
