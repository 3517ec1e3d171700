package dev.latencyhiding.benchmarks.workloads

import dev.latencyhiding.benchmarks.peers.Peer
import java.util.SortedMap
import kotlin.random.Random
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/**
 * Ten million numbers, sorted by a parallel quicksort whose leaves may wait for a millisecond, as
 * if their part came from elsewhere. Unlike in [MapReduce] the tree is uneven, much of the work is
 * done on the way down, and memory matters. Bar 9.
 */
internal class Quicksort : Workload {
    override fun name(): String = "quicksort"

    override fun shows(): String = "an uneven fork tree that moves memory, with and without waits"

    override fun cases(scale: Scale): List<Case> {
        val size = scale.pick(20_000, 1_000_000, 10_000_000)
        val leaf = scale.pick(1_000, 10_000, 20_000)
        return listOf(0L, 1L).map { QuicksortCase(size, leaf, it) }
    }
}

private const val SEED = 10

private class QuicksortCase(size: Int, private val leaf: Int, private val waitMillis: Long) : Case {
    private val unsorted: IntArray by lazy {
        val random = Random(SEED)
        IntArray(size) { random.nextInt() }
    }
    private val sum: Long by lazy { unsorted.sumOf { it.toLong() } }

    override fun parameters(): SortedMap<String, String> = parametersOf("δ" to "$waitMillis ms")

    override fun nothingWaits(): Boolean = waitMillis == 0L

    override fun run(peer: Peer): List<Sample> {
        val numbers = unsorted.clone()
        val begun = System.nanoTime()
        runBlocking(peer.dispatcher) { sort(peer, numbers, 0, numbers.size) }
        val took = System.nanoTime() - begun
        expect(sum, numbers.sumOf { it.toLong() })
        check((1 until numbers.size).all { numbers[it - 1] <= numbers[it] }) { "Not sorted" }
        return listOf(Sample.time(took))
    }

    private suspend fun sort(peer: Peer, numbers: IntArray, from: Int, until: Int): Unit =
        if (until - from <= leaf) {
            if (waitMillis > 0) peer.await(waitMillis)
            numbers.sort(from, until)
        } else {
            val middle = partition(numbers, from, until)
            coroutineScope {
                launch { sort(peer, numbers, from, middle) }
                launch { sort(peer, numbers, middle, until) }
            }
        }

    /** Hoare's. Returns the first index of the upper part; neither part is empty. */
    private fun partition(numbers: IntArray, from: Int, until: Int): Int {
        val pivot = numbers[(from + until) ushr 1]
        var low = from - 1
        var high = until
        while (true) {
            do low++ while (numbers[low] < pivot)
            do high-- while (numbers[high] > pivot)
            if (low >= high) return if (high + 1 == until) high else high + 1
            numbers[low] = numbers[high].also { numbers[high] = numbers[low] }
        }
    }
}
