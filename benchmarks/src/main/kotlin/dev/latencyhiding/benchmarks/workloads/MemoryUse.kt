package dev.latencyhiding.benchmarks.workloads

import dev.latencyhiding.benchmarks.peers.Peer
import java.lang.management.ManagementFactory
import java.util.SortedMap
import java.util.concurrent.CountDownLatch
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/**
 * A million coroutines, suspended in `delay` or in `await`: the heap that each of them holds, with
 * all that the dispatcher keeps for it. Bar 14: at most 64 bytes more than on Dispatchers.Default.
 */
internal class MemoryUse : Workload {
    override fun name(): String = "memory"

    override fun shows(): String = "heap of suspended coroutines"

    override fun cases(scale: Scale): List<Case> {
        val coroutines = scale.pick(1_000, 25_000, 1_000_000)
        val never = CompletableDeferred<Unit>()
        return listOf(
            MemoryCase("delay", coroutines) { delay(FOR_EVER) },
            MemoryCase("await", coroutines) { never.await() },
        )
    }

    private companion object {
        const val FOR_EVER = 3_600_000L
    }
}

private class MemoryCase(
    private val where: String,
    private val coroutines: Int,
    private val suspend: suspend () -> Unit,
) : Case {
    override fun parameters(): SortedMap<String, String> = parametersOf("in" to where)

    /** What is allocated but once must be there before. */
    override fun warmUp(peer: Peer, millis: Long) = whileSuspended(peer) {}

    override fun run(peer: Peer): List<Sample> {
        val before = usedBytes()
        val used = whileSuspended(peer) { usedBytes() } - before
        return listOf(Sample.lower("heap", "bytes", used.toDouble() / coroutines))
    }

    private fun <T> whileSuspended(peer: Peer, measure: () -> T): T {
        val scope = CoroutineScope(peer.dispatcher + SupervisorJob())
        val started = CountDownLatch(coroutines)
        repeat(coroutines) {
            scope.launch(peer.waiting) {
                started.countDown()
                suspend()
            }
        }
        started.await() // the last few may be about to suspend, which does not show in the mean
        val measured = measure()
        runBlocking { scope.coroutineContext[Job]!!.cancelAndJoin() }
        return measured
    }

    private fun usedBytes(): Long {
        System.gc()
        return ManagementFactory.getMemoryMXBean().heapMemoryUsage.used
    }
}
