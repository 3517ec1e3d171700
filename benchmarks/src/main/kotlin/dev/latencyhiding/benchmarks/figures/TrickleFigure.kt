package dev.latencyhiding.benchmarks.figures

import com.sun.management.OperatingSystemMXBean
import dev.latencyhiding.LatencyHidingScheduler
import dev.latencyhiding.coroutines.asCoroutineDispatcher
import java.lang.management.ManagementFactory
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.LockSupport
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExecutorCoroutineDispatcher
import kotlinx.coroutines.cancel
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch

private const val SECONDS = 3.0

/**
 * CPU time of the whole process, in milliseconds per second, while a dispatcher has next to nothing
 * to do: nothing at all, a `delay(10)` loop, a `delay(1)` loop, a launch from outside every
 * millisecond.
 */
fun main(args: Array<String>) {
    val rounds = args.firstOrNull()?.toInt() ?: 3
    println("CPU in ms per second: idle, delay(10) loop, delay(1) loop, 1000 launches per second")
    repeat(rounds) {
        for ((name, make) in peers) {
            val figures =
                listOf<CoroutineScope.() -> Unit>({}, { tick(10) }, { tick(1) }, { trickle() })
                    .map { measure(make, it) }
            println("  %-16s %8.2f %8.2f %8.2f %8.2f".format(name, *figures.toTypedArray()))
        }
    }
}

private val peers: Map<String, () -> CoroutineDispatcher> =
    mapOf(
        "LatencyHiding" to { LatencyHidingScheduler.builder().build().asCoroutineDispatcher() },
        "Default" to { Dispatchers.Default },
    )

private fun CoroutineScope.tick(millis: Long) {
    launch { while (true) delay(millis) }
}

private fun CoroutineScope.trickle() {
    val scope = this
    Thread {
        val end = System.nanoTime() + (2 * SECONDS * 1e9).toLong()
        while (System.nanoTime() - end < 0) {
            scope.launch {}
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1))
        }
    }
        .apply { isDaemon = true }
        .start()
}

private fun measure(make: () -> CoroutineDispatcher, load: CoroutineScope.() -> Unit): Double {
    val dispatcher = make()
    val scope = CoroutineScope(dispatcher)
    scope.load()
    pause(SECONDS / 3) // warm up
    val process = ManagementFactory.getOperatingSystemMXBean() as OperatingSystemMXBean
    val cpuBefore = process.processCpuTime
    val begun = System.nanoTime()
    pause(SECONDS)
    val used = (process.processCpuTime - cpuBefore) / 1e6 / ((System.nanoTime() - begun) / 1e9)
    scope.cancel()
    pause(SECONDS) // the thread of trickle ends
    (dispatcher as? ExecutorCoroutineDispatcher)?.takeIf { it !== Dispatchers.Default }?.close()
    return used
}

private fun pause(seconds: Double) {
    val end = System.nanoTime() + (seconds * 1e9).toLong()
    while (true) {
        val left = end - System.nanoTime()
        if (left <= 0) return
        LockSupport.parkNanos(left)
    }
}
