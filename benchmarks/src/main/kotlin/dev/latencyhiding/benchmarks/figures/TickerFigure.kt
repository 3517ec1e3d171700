package dev.latencyhiding.benchmarks.figures

import dev.latencyhiding.LatencyHidingScheduler
import dev.latencyhiding.coroutines.asCoroutineDispatcher
import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import java.util.concurrent.ForkJoinPool
import java.util.concurrent.Semaphore
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.LongAdder
import kotlin.math.ceil
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExecutorCoroutineDispatcher
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.cancel
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeoutOrNull

/**
 * A `delay(10)` loop on a dispatcher that a load saturates: how many of the ticks come, how late,
 * and how much the load gets done. Claims punctuality under saturation, not throughput.
 */
private const val TICK_MILLIS = 10L
private const val NODE_NANOS = 200_000L
private const val SECONDS = 5L

/** Launched from outside and not started yet, at most. */
private const val BACKLOG = 2_000

private enum class Load(val text: String) {
    FORK_TREE("fork tree"),
    FLOOD("flood from outside"),
    FLAT("flat spawn from inside"),
}

private class Result(val ticks: Int, val lateness: List<Double>, val nodesPerSecond: Double) {
    fun late(quantile: Double): Double =
        if (lateness.isEmpty()) Double.NaN
        else lateness[(ceil(quantile * lateness.size).toInt() - 1).coerceAtLeast(0)]
}

fun main(args: Array<String>) {
    val rounds = args.firstOrNull()?.toInt() ?: 1
    val expected = SECONDS * 1000 / TICK_MILLIS
    println(
        "JDK ${Runtime.version()}, ${Runtime.getRuntime().availableProcessors()} processors, nodes of 0.2 ms"
    )
    for (load in Load.entries) {
        println("\n${load.text}: ticks of $expected, lateness in ms, nodes of the load per second")
        repeat(rounds) {
            for ((name, make) in dispatchers()) {
                val result = measure(load, make)
                println(
                    "  %-18s %4d   p50 %8.2f   p99 %8.2f   max %8.2f   %7.0f/s"
                        .format(
                            name,
                            result.ticks,
                            result.late(0.5),
                            result.late(0.99),
                            result.late(1.0),
                            result.nodesPerSecond,
                        )
                )
            }
        }
    }
}

private fun dispatchers(): Map<String, () -> CoroutineDispatcher> = buildMap {
    val cores = Runtime.getRuntime().availableProcessors()
    put("LatencyHiding") {
        LatencyHidingScheduler.builder().parallelism(cores).build().asCoroutineDispatcher()
    }
    put("Default") { Dispatchers.Default }
    put("ForkJoinPool LIFO") { ForkJoinPool(cores).asCoroutineDispatcher() }
    put("ForkJoinPool FIFO") {
        ForkJoinPool(cores, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true)
            .asCoroutineDispatcher()
    }
    virtualThreads()?.let { put("virtual threads") { it.asCoroutineDispatcher() } }
}

private fun virtualThreads(): ExecutorService? = runCatching {
    Executors::class.java.getMethod("newVirtualThreadPerTaskExecutor").invoke(null)
        as ExecutorService
}
    .getOrNull()

private fun measure(load: Load, make: () -> CoroutineDispatcher): Result {
    val dispatcher = make()
    val scope = CoroutineScope(dispatcher + SupervisorJob())
    val nodes = LongAdder()
    val lateness = mutableListOf<Double>() // written by the ticker alone, read after it was joined
    val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS)
    val stopped = { System.nanoTime() - end >= 0 }
    val ticker = scope.launch {
        while (!stopped()) {
            val due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS)
            delay(TICK_MILLIS)
            if (!stopped()) lateness += (System.nanoTime() - due) / 1e6
        }
    }
    runBlocking {
        val loading = launch(Dispatchers.IO) { saturate(scope, load, nodes, stopped) }
        delay(TimeUnit.SECONDS.toMillis(SECONDS))
        val done = nodes.sum()
        loading.join()
        // A peer that is behind may need long to come to the end.
        withTimeoutOrNull(30_000) { ticker.cancelAndJoin() }
        scope.cancel()
        nodes.reset()
        nodes.add(done)
    }
    (dispatcher as? ExecutorCoroutineDispatcher)?.takeIf { it !== Dispatchers.Default }?.close()
    return Result(lateness.size, lateness.sorted(), nodes.sum().toDouble() / SECONDS)
}

private suspend fun saturate(
    scope: CoroutineScope,
    load: Load,
    nodes: LongAdder,
    stopped: () -> Boolean,
) {
    when (load) {
        Load.FORK_TREE -> scope.launch { while (!stopped()) tree(12, nodes, stopped) }.join()
        Load.FLOOD -> flood(scope, nodes, stopped)
        Load.FLAT -> scope.launch { while (!stopped()) flat(nodes, stopped) }.join()
    }
}

private suspend fun tree(depth: Int, nodes: LongAdder, stopped: () -> Boolean): Unit =
    coroutineScope {
        if (stopped()) return@coroutineScope
        if (depth == 0) {
            compute(nodes)
        } else {
            launch { tree(depth - 1, nodes, stopped) }
            launch { tree(depth - 1, nodes, stopped) }
        }
    }

private fun flood(scope: CoroutineScope, nodes: LongAdder, stopped: () -> Boolean) {
    val backlog = Semaphore(BACKLOG)
    while (!stopped()) {
        backlog.acquire()
        scope.launch {
            backlog.release()
            if (!stopped()) compute(nodes)
        }
    }
}

private suspend fun flat(nodes: LongAdder, stopped: () -> Boolean): Unit = coroutineScope {
    repeat(BACKLOG) { launch { if (!stopped()) compute(nodes) } }
}

private fun compute(nodes: LongAdder) {
    Spin.forNanos(NODE_NANOS)
    nodes.increment()
}
