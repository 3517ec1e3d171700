package dev.latencyhiding.benchmarks.workloads

import dev.latencyhiding.benchmarks.peers.Peer
import java.util.SortedMap
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.LockSupport
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext

/** A case that is the time of [program], run as the body of one coroutine. */
internal fun timed(
    vararg parameters: Pair<String, Any>,
    nothingWaits: Boolean = false,
    hasWaitingPart: Boolean = !nothingWaits,
    program: suspend CoroutineScope.(Peer) -> Unit,
): Case =
    case(*parameters, nothingWaits = nothingWaits, hasWaitingPart = hasWaitingPart) { peer ->
        val begun = System.nanoTime()
        runBlocking(peer.dispatcher) { program(peer) }
        listOf(Sample.time(System.nanoTime() - begun))
    }

/** A case that measures itself. */
internal fun case(
    vararg parameters: Pair<String, Any>,
    nothingWaits: Boolean = false,
    hasWaitingPart: Boolean = !nothingWaits,
    measure: (Peer) -> List<Sample>,
): Case = SimpleCase(parametersOf(*parameters), nothingWaits, hasWaitingPart, measure)

internal fun parametersOf(vararg parameters: Pair<String, Any>): SortedMap<String, String> =
    parameters.associate { (name, value) -> name to value.toString() }.toSortedMap()

private class SimpleCase(
    private val parameters: SortedMap<String, String>,
    private val nothingWaits: Boolean,
    private val hasWaitingPart: Boolean,
    private val measure: (Peer) -> List<Sample>,
) : Case {
    override fun parameters(): SortedMap<String, String> = parameters

    override fun nothingWaits(): Boolean = nothingWaits

    override fun hasWaitingPart(): Boolean = hasWaitingPart

    override fun run(peer: Peer): List<Sample> = measure(peer)
}

/** Waits where this peer waits. */
internal suspend fun Peer.await(millis: Long) {
    if (waitsElsewhere()) withContext(waiting) { delay(millis) } else delay(millis)
}

private const val WAKE_UPS = 20

/**
 * Has workers go to sleep and come back, and coroutines wait, much more often than a slow load
 * does.
 */
internal fun warmUpSleepAndDelay(peer: Peer, millis: Long) {
    val end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis)
    do {
        repeat(WAKE_UPS) { runBlocking(peer.dispatcher) {} }
        runBlocking(peer.waiting) { repeat(WAKE_UPS) { launch { delay(1) } } }
    } while (System.nanoTime() - end < 0)
}

/** Fails the round if the program did not compute what it should have. */
internal fun <T> expect(expected: T, actual: T) {
    check(expected == actual) { "The result is wrong: $actual instead of $expected" }
}

/** Keeps a core busy for so long by the clock. */
internal fun computeFor(nanos: Long) {
    val end = System.nanoTime() + nanos
    while (System.nanoTime() - end < 0) Thread.onSpinWait()
}

/** Lets so much time pass on this thread. */
internal fun pause(millis: Long) {
    val end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis)
    while (true) {
        val left = end - System.nanoTime()
        if (left <= 0) return
        LockSupport.parkNanos(left)
    }
}
