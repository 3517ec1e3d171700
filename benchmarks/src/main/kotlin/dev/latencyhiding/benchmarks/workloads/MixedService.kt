package dev.latencyhiding.benchmarks.workloads

import dev.latencyhiding.benchmarks.peers.Peer
import java.util.SortedMap
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.LockSupport
import kotlin.math.ln
import kotlin.random.Random
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.HdrHistogram.ConcurrentHistogram
import org.HdrHistogram.Histogram

/**
 * A service: each request asks two others that answer after 5 ms, works on their answers, and
 * computes something of its own meanwhile; 0.4 ms of computing in all. Requests arrive at random
 * times, whether or not earlier ones are done, and their time counts from when they were due. The
 * loads are parts of what P cores could compute. Bar 13: the best p99 and p99.9 at equal load, and
 * the highest load at which p99 stays within 20 ms.
 */
internal class MixedService : Workload {
    override fun name(): String = "mixed"

    override fun shows(): String =
        "a service whose requests wait and compute, with open-loop arrivals"

    override fun cases(scale: Scale): List<Case> {
        val nanos = millisToNanos(scale.pick(100, 250, 3_000).toLong())
        return listOf(
            LoadCase(50, nanos),
            LoadCase(80, nanos),
            HighestLoadCase(scale.pick(36, 12, 3), nanos / 2),
        )
    }
}

private const val ANSWER_MILLIS = 5L
private const val PART_NANOS = 100_000L
private const val OWN_NANOS = 200_000L
private const val REQUEST_NANOS = 2 * PART_NANOS + OWN_NANOS
private const val SEED = 20

private val PERCENTILES = mapOf("p50" to 50.0, "p99" to 99.0, "p99.9" to 99.9)

/** A percentile with fewer values beyond it is not given: it would say nothing. */
private const val FEWEST_BEYOND = 5

private class LoadCase(private val percent: Int, private val nanos: Long) : Case {
    override fun parameters(): SortedMap<String, String> = parametersOf("load" to "$percent %")

    override fun warmUp(peer: Peer, millis: Long) {
        Service(peer).serve(percent, millisToNanos(millis))
    }

    override fun run(peer: Peer): List<Sample> {
        val times = Service(peer).serve(percent, nanos)
        return PERCENTILES.filter { times.totalCount * (1 - it.value / 100) >= FEWEST_BEYOND }
            .map { Sample.lower(it.key, "ms", times.getValueAtPercentile(it.value) / 1e6) }
    }
}

/**
 * By bisection: the highest load at which p99 is at most 20 ms. A load has a second try, since a
 * single hiccup would rule out all that are higher.
 */
private class HighestLoadCase(step: Int, private val nanos: Long) : Case {
    private val steps = LOWEST..HIGHEST step step

    override fun parameters(): SortedMap<String, String> = parametersOf("load" to "highest")

    override fun warmUp(peer: Peer, millis: Long) {
        Service(peer).serve(LOWEST, millisToNanos(millis))
    }

    override fun run(peer: Peer): List<Sample> {
        val firstTooHigh = steps.toList().binarySearch { if (isMet(peer, it)) -1 else 1 }.inv()
        val highest = if (firstTooHigh == 0) 0 else steps.elementAt(firstTooHigh - 1)
        val perSecond =
            highest / 100.0 * peer.parallelism * TimeUnit.SECONDS.toNanos(1) / REQUEST_NANOS
        return listOf(Sample.higher("throughput at p99 ≤ 20 ms", "requests/s", perSecond))
    }

    private fun isMet(peer: Peer, percent: Int) =
        (1..TRIES).any {
            Service(peer).serve(percent, nanos).getValueAtPercentile(99.0) <= LIMIT_NANOS
        }

    private companion object {
        const val TRIES = 2
        const val LOWEST = 24
        const val HIGHEST = 96
        const val LIMIT_NANOS = 20_000_000L
    }
}

private class Service(private val peer: Peer) {
    private val times = ConcurrentHistogram(3)

    /** Serves requests for so long, at a part of what P cores could compute. */
    fun serve(percent: Int, nanos: Long): Histogram {
        val all = Job()
        val scope = CoroutineScope(peer.dispatcher + all)
        val meanGap = REQUEST_NANOS * 100.0 / percent / peer.parallelism
        val random = Random(SEED)
        var requests = 0L
        val begun = System.nanoTime()
        var due = begun
        while (due - begun < nanos) {
            awaitTime(due)
            val arrival = due
            scope.launch { request(arrival) }
            requests++
            due += (-ln(1 - random.nextDouble()) * meanGap).toLong()
        }
        all.complete()
        runBlocking { all.join() }
        expect(requests, times.totalCount)
        return times
    }

    private suspend fun request(arrival: Long) {
        coroutineScope {
            val answers = List(2) { async { ask() } }
            val own = async { computeFor(OWN_NANOS) }
            answers.awaitAll()
            own.await()
        }
        times.recordValue(System.nanoTime() - arrival)
    }

    private suspend fun ask() {
        peer.await(ANSWER_MILLIS)
        computeFor(PART_NANOS)
    }

    private fun awaitTime(time: Long) {
        while (true) {
            val left = time - System.nanoTime()
            if (left <= 0) return
            LockSupport.parkNanos(left)
        }
    }
}
