package dev.latencyhiding.benchmarks.workloads

import dev.latencyhiding.benchmarks.peers.Peer
import java.lang.management.ManagementFactory
import java.util.SortedMap
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.LockSupport
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/**
 * CPU that a dispatcher uses while it has next to nothing to do: nothing at all, a `delay(10)`
 * loop, or an empty coroutine from outside every millisecond. All Java threads count, also the one
 * that launches, since waking a worker is its work; compiler and garbage collector do not. Bar 15.
 */
internal class Idle : Workload {
    override fun name(): String = "idle"

    override fun shows(): String = "CPU with nothing, or next to nothing, to do"

    override fun cases(scale: Scale): List<Case> {
        val millis = scale.pick(100, 120, 2_000).toLong()
        return listOf(
            IdleCase("nothing", millis, false) { _, _ -> },
            IdleCase("delay(10) loop", millis, true) { scope, peer ->
                scope.launch(peer.waiting) { while (true) delay(10) }
            },
            IdleCase("task per ms", millis, false) { scope, _ -> scope.launchEachMillisecond() },
        )
    }
}

/** In ms/s. What is less is the JVM's own, and counts as nothing. */
private const val LEAST = 0.1

private class IdleCase(
    private val load: String,
    private val millis: Long,
    private val hasWaitingPart: Boolean,
    private val start: (CoroutineScope, Peer) -> Unit,
) : Case {
    override fun parameters(): SortedMap<String, String> = parametersOf("load" to load)

    override fun hasWaitingPart(): Boolean = hasWaitingPart

    /** At the pace of the load it would take minutes until the way to sleep is compiled. */
    override fun warmUp(peer: Peer, millis: Long) = warmUpSleepAndDelay(peer, millis)

    override fun run(peer: Peer): List<Sample> =
        listOf(Sample.lower("CPU", "ms/s", measure(peer, millis)))

    private fun measure(peer: Peer, millis: Long): Double {
        val scope = CoroutineScope(peer.dispatcher + SupervisorJob())
        start(scope, peer)
        pause(millis / 5) // whoever was busy goes to sleep
        val before = cpuNanos()
        val begun = System.nanoTime()
        pause(millis)
        val used = cpuNanos().entries.sumOf { (id, nanos) -> nanos - (before[id] ?: 0) }
        val took = System.nanoTime() - begun
        runBlocking { scope.coroutineContext[Job]!!.cancelAndJoin() }
        return (1000.0 * used / took).coerceAtLeast(LEAST)
    }
}

private fun CoroutineScope.launchEachMillisecond() {
    val job = coroutineContext[Job]!!
    Thread {
        while (job.isActive) {
            launch {}
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1))
        }
    }
        .apply { isDaemon = true }
        .start()
}

/**
 * By thread, without this one, which measures. A thread that ends takes what it used before with
 * it, so that a sum over all would go down.
 */
private fun cpuNanos(): Map<Long, Long> {
    val threads = ManagementFactory.getThreadMXBean()
    return threads.allThreadIds
        .filter { it != Thread.currentThread().id }
        .associateWith { id -> threads.getThreadCpuTime(id) }
        .filterValues { it >= 0 }
}
