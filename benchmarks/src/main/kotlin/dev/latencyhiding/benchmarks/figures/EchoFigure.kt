package dev.latencyhiding.benchmarks.figures

import dev.latencyhiding.LatencyHidingScheduler
import dev.latencyhiding.coroutines.asCoroutineDispatcher
import java.lang.management.ManagementFactory
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicBoolean
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch

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
    val only = args.getOrNull(1)?.toRegex() // a peer's name, or "load", for it alone
    println(
        "JDK ${Runtime.version()}, ${Runtime.getRuntime().availableProcessors()} processors, $MESSAGE bytes"
    )
    val counts = args.getOrNull(2)?.let { listOf(it.toInt()) } ?: listOf(1, 64, 1000)
    for (connections in counts) {
        println("\n$connections connections: round trips per second, µs of CPU each, p99 in µs")
        repeat(rounds) {
            for ((name, make) in echoPeers()) {
                if (only != null && !name.matches(only)) continue
                println("  %-28s %s".format(name, measure(make, connections)))
            }
        }
    }
    if (only != null && !"load".matches(only)) return
    println("\nround trips every $PACE_MILLIS ms beside a fork tree of 1 ms nodes")
    repeat(rounds) {
        println("  %-28s %s".format("LatencyHiding", underLoad(scheduler())))
        println("  %-28s %s".format("Default", underLoad(Dispatchers.Default)))
    }
}

private fun scheduler(): CoroutineDispatcher =
    LatencyHidingScheduler.builder().build().asCoroutineDispatcher()

private fun measure(make: () -> EchoPeer, connections: Int): String {
    val roundTrips = RoundTrips()
    make().use { peer ->
        peer.start(connections, roundTrips)
        Thread.sleep(WARM_UP_MILLIS)
        roundTrips.forget()
        val cpu = cpuNanos()
        val count = roundTrips.sum()
        val began = System.nanoTime()
        Thread.sleep(MILLIS)
        val done = roundTrips.sum() - count
        val seconds = (System.nanoTime() - began) / 1e9
        val cpuMicros = (cpuNanos() - cpu) / 1e3 / done
        val p99 = roundTrips.times().getValueAtPercentile(99.0) / 1e3
        return "%8.0f/s  %6.1f  %8.0f".format(done / seconds, cpuMicros, p99)
    }
}

private fun cpuNanos(): Long =
    (ManagementFactory.getOperatingSystemMXBean() as com.sun.management.OperatingSystemMXBean)
        .processCpuTime

/** Both ends compete with the load. */
private fun underLoad(dispatcher: CoroutineDispatcher): String {
    val scope = CoroutineScope(dispatcher + SupervisorJob())
    val isOver = AtomicBoolean()
    val roundTrips = RoundTrips()
    LibraryEcho(dispatcher, PACE_MILLIS).use { echo ->
        echo.start(1, roundTrips)
        scope.launch { while (!isOver.get()) tree(isOver) }
        Thread.sleep(WARM_UP_MILLIS)
        roundTrips.forget()
        Thread.sleep(TimeUnit.SECONDS.toMillis(LOAD_SECONDS))
        isOver.set(true)
    }
    scope.cancel()
    if (dispatcher !== Dispatchers.Default) (dispatcher as AutoCloseable).close()
    val times = roundTrips.times()
    return "%5d   p50 %8.3f   p99 %9.3f   max %9.3f ms"
        .format(
            times.totalCount,
            times.getValueAtPercentile(50.0) / 1e6,
            times.getValueAtPercentile(99.0) / 1e6,
            times.maxValue / 1e6,
        )
}

/** A thousand nodes of 1 ms, or fewer if it is over before. */
internal suspend fun tree(isOver: AtomicBoolean, depth: Int = 10): Unit = coroutineScope {
    if (isOver.get()) return@coroutineScope
    if (depth == 0) {
        Spin.forNanos(NODE_NANOS)
    } else {
        launch { tree(isOver, depth - 1) }
        launch { tree(isOver, depth - 1) }
    }
}
