package dev.latencyhiding.benchmarks.workloads

import dev.latencyhiding.benchmarks.peers.Peer
import java.util.SortedMap
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong
import kotlin.concurrent.thread
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.runBlocking

/**
 * A balanced fork tree whose leaves wait, compute or both; the shape of [MapReduce] and [Sweep].
 *
 * The bound is measured by plain threads that take the computing off a shared counter: P cores
 * cannot do it sooner, whatever schedules them. Nobody waits there, so what must be waited for
 * comes on top or instead, as [bound] says.
 */
internal class LeavesCase(
    private val parameters: SortedMap<String, String>,
    private val leaves: Int,
    private val leaf: Leaf,
    private val bound: (workNanos: Long) -> Long,
) : Case {
    /** What leaf number i does: waits for so many milliseconds, then computes naive fib(n). */
    internal interface Leaf {
        fun waitMillis(index: Int): Long

        /** 0 for a leaf that does not compute. */
        fun fib(index: Int): Int
    }

    private val expected = (0 until leaves).sumOf { fibonacci(leaf.fib(it)) }

    override fun parameters(): SortedMap<String, String> = parameters

    override fun nothingWaits(): Boolean = (0 until leaves).all { leaf.waitMillis(it) == 0L }

    override fun run(peer: Peer): List<Sample> {
        val begun = System.nanoTime()
        val sum = runBlocking(peer.dispatcher) { mapReduce(peer, 0, leaves) }
        val took = System.nanoTime() - begun
        expect(expected, sum)
        return listOf(Sample.time(took))
    }

    private suspend fun mapReduce(peer: Peer, from: Int, until: Int): Long =
        if (until - from == 1) visit(peer, from)
        else
            coroutineScope {
                val middle = (from + until) ushr 1
                val left = async { mapReduce(peer, from, middle) }
                val right = async { mapReduce(peer, middle, until) }
                left.await() + right.await()
            }

    private suspend fun visit(peer: Peer, index: Int): Long {
        val millis = leaf.waitMillis(index)
        if (millis > 0) peer.await(millis)
        return naiveFib(leaf.fib(index))
    }

    override fun hasBound(): Boolean = true

    override fun bound(parallelism: Int): List<Sample> {
        val next = AtomicInteger()
        val sum = AtomicLong()
        val begun = System.nanoTime()
        val threads =
            List(parallelism) {
                thread {
                    var part = 0L
                    while (true) {
                        val index = next.getAndIncrement()
                        if (index >= leaves) break
                        part += naiveFib(leaf.fib(index))
                    }
                    sum.addAndGet(part)
                }
            }
        threads.forEach { it.join() }
        val work = System.nanoTime() - begun
        expect(expected, sum.get())
        return listOf(Sample.time(bound(work)))
    }
}

internal fun millisToNanos(millis: Long): Long = TimeUnit.MILLISECONDS.toNanos(millis)

/** Computing that no compiler knows how to shorten. */
internal fun naiveFib(n: Int): Long = if (n < 2) n.toLong() else naiveFib(n - 1) + naiveFib(n - 2)

internal fun fibonacci(n: Int): Long {
    var last = 0L
    var next = 1L
    repeat(n) { next = last + next.also { last = next } }
    return last
}
