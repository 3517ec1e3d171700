package dev.latencyhiding.benchmarks.figures

import dev.latencyhiding.LatencyHidingScheduler
import dev.latencyhiding.coroutines.asCoroutineDispatcher
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.LockSupport
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.readText
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancel
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch

private const val SECONDS = 1.0
private const val WARM_UP_ROUNDS = 1

/**
 * CPU time of all threads of the program, in milliseconds per second, while a dispatcher has next
 * to nothing to do: nothing at all, a `delay(10)` loop, a `delay(1)` loop, a launch from outside
 * every millisecond. The compiler's and the collector's threads do not count: they depend on what
 * ran before. Linux only. Arguments: the number of rounds, and "threads" to see each thread.
 */
fun main(args: Array<String>) {
    val rounds = args.firstOrNull()?.toInt() ?: 5
    val byThread = "threads" in args
    val scheduler = LatencyHidingScheduler.builder().name("trickle").build()
    val peers =
        mapOf(
            "LatencyHiding" to scheduler.asCoroutineDispatcher(),
            "Default" to Dispatchers.Default,
        )
    val loads =
        mapOf<String, suspend CoroutineScope.() -> Unit>(
            "idle" to {},
            "delay(10) loop" to { while (true) delay(10) },
            "delay(1) loop" to { while (true) delay(1) },
        )
    peers.values.forEach(::compile)
    println("CPU in ms per second, median of $rounds rounds")
    for (load in loads.keys + "1000 launches") {
        val figures = peers.keys.associateWith { mutableListOf<Double>() }
        repeat(WARM_UP_ROUNDS + rounds) { round ->
            for ((name, dispatcher) in if (round % 2 == 0) peers else peers.reversed()) {
                val used = measure(dispatcher, loads[load])
                if (round >= WARM_UP_ROUNDS) figures.getValue(name) += used.values.sum()
                if (byThread) println("    $name ${used.filterValues { it > 0.05 }}")
            }
        }
        val medians = figures.mapValues { (_, values) -> values.sorted()[values.size / 2] }
        println(
            "  %-14s".format(load) +
                medians.entries.joinToString("") { (name, ms) -> "  %s %.2f".format(name, ms) } +
                "  ratio %.2f".format(medians.values.first() / medians.values.last())
        )
    }
    scheduler.close()
}

/** A trickle alone would run interpreted for minutes. */
private fun compile(dispatcher: CoroutineDispatcher) {
    val scope = CoroutineScope(dispatcher)
    repeat(20) { scope.launch { while (true) delay(1) } }
    pass(3 * SECONDS, scope, launching = true)
    scope.cancel()
}

private fun <K, V> Map<K, V>.reversed(): Map<K, V> = entries.reversed().associate { it.toPair() }

/**
 * Milliseconds of CPU per second by thread; a load of null is a launch from outside every
 * millisecond.
 */
private fun measure(
    dispatcher: CoroutineDispatcher,
    load: (suspend CoroutineScope.() -> Unit)?,
): Map<String, Double> {
    val scope = CoroutineScope(dispatcher)
    if (load != null) scope.launch(block = load)
    pass(SECONDS / 4, scope, load == null)
    val before = cpuNanos()
    val begun = System.nanoTime()
    pass(SECONDS, scope, load == null)
    val seconds = (System.nanoTime() - begun) / 1e9
    val used =
        cpuNanos().mapValues { (thread, nanos) -> (nanos - (before[thread] ?: 0)) / 1e6 / seconds }
    scope.cancel()
    return used
}

/** Lets the time pass, as little as possible or with launches. */
private fun pass(seconds: Double, scope: CoroutineScope, launching: Boolean) {
    val end = System.nanoTime() + (seconds * 1e9).toLong()
    while (true) {
        val left = end - System.nanoTime()
        if (left <= 0) return
        if (launching) scope.launch {}
        LockSupport.parkNanos(if (launching) TimeUnit.MILLISECONDS.toNanos(1) else left)
    }
}

private val ofTheVm =
    Regex("C[12] Compiler.*|G1 .*|GC .*|VM .*|Monitor .*|Sweeper.*|Common-Cleaner|Attach.*")

/** CPU time of each thread by id and name, from the kernel's own account in nanoseconds. */
private fun cpuNanos(): Map<String, Long> =
    Path.of("/proc/self/task")
        .listDirectoryEntries()
        .filter { Files.exists(it) }
        .associate { task ->
            val name = task.resolve("comm").readText().trim()
            "${task.fileName} $name" to
                task.resolve("schedstat").readText().substringBefore(' ').toLong()
        }
        .filterKeys { !ofTheVm.matches(it.substringAfter(' ')) }
