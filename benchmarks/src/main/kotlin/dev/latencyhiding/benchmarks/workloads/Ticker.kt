package dev.latencyhiding.benchmarks.workloads

import dev.latencyhiding.benchmarks.peers.Peer
import java.util.SortedMap
import java.util.concurrent.Semaphore
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.LongAdder
import kotlin.concurrent.thread
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.HdrHistogram.Histogram

/**
 * Ten `delay(10)` loops, a millisecond apart, on a dispatcher that a load of 0.2 ms nodes
 * saturates: how many of the ticks come, how late, and how much of the load gets done meanwhile.
 * One loop would give too few ticks for a percentile. The load is a fork tree, a flood of launches
 * from outside that always leaves a backlog, or launches by the thousand from one coroutine. Bar
 * 10: 98 % of the ticks, lateness p99 within 2 ms, and no less of the load than Dispatchers.Default
 * does.
 */
internal class Ticker : Workload {
    override fun name(): String = "ticker"

    override fun shows(): String = "delay(10) loops beside a load that saturates the workers"

    override fun cases(scale: Scale): List<Case> {
        val nanos = TimeUnit.MILLISECONDS.toNanos(scale.pick(150, 510, 3_000).toLong())
        return Load.entries.map { TickerCase(it, nanos) }
    }

    internal enum class Load(val text: String) {
        FORK_TREE("fork tree"),
        FLOOD("flood from outside"),
        FLAT("flat spawn from inside"),
    }
}

private const val TICK_MILLIS = 10L
private const val LOOPS = 10

/**
 * In milliseconds. To be less late makes no difference to a `delay`, which counts in whole ones.
 */
private const val LEAST_LATENESS = 0.25
private const val NODE_NANOS = 200_000L
private const val TREE_DEPTH = 12

/** Nodes that are launched and not started, at most; at 0.2 ms they are some 200 ms of backlog. */
private const val BACKLOG = 2_000

private class TickerCase(private val load: Ticker.Load, private val nanos: Long) : Case {
    override fun parameters(): SortedMap<String, String> = parametersOf("load" to load.text)

    /** A hundred ticks a second are too few to have the way of a tick compiled. */
    override fun warmUp(peer: Peer, millis: Long) {
        warmUpSleepAndDelay(peer, millis / 2)
        TickerRound(peer, load, TimeUnit.MILLISECONDS.toNanos(millis / 2)).run()
    }

    override fun run(peer: Peer): List<Sample> = TickerRound(peer, load, nanos).run()
}

private class TickerRound(
    private val peer: Peer,
    private val load: Ticker.Load,
    private val nanos: Long,
) {
    private val scope = CoroutineScope(peer.dispatcher + SupervisorJob())
    private val nodes = LongAdder()
    private val end = System.nanoTime() + nanos

    private val stopped: Boolean
        get() = System.nanoTime() - end >= 0

    fun run(): List<Sample> {
        val loops = List(LOOPS) { Loop() }
        val tickers = loops.mapIndexed { i, loop ->
            scope.launch(peer.waiting) {
                delay(i * TICK_MILLIS / LOOPS)
                loop.tick()
            }
        }
        val done = runBlocking {
            val loading = thread { saturate() }
            delay(TimeUnit.NANOSECONDS.toMillis(nanos))
            val done = nodes.sum()
            loading.join()
            tickers.forEach { it.cancelAndJoin() }
            scope.coroutineContext[Job]!!.cancelAndJoin()
            done
        }
        // The tick that falls on the end comes too late.
        val expected = LOOPS * (TimeUnit.NANOSECONDS.toMillis(nanos) / TICK_MILLIS - 1.0)
        val ticks = loops.sumOf { it.ticks }
        val lateness = Histogram(3).apply { loops.forEach { add(it.lateness) } }
        return listOf(
            Sample.higher("ticks", "%", minOf(100.0, 100 * ticks / expected)),
            lateness("p50", lateness.getValueAtPercentile(50.0)),
            lateness("p99", lateness.getValueAtPercentile(99.0)),
            Sample.higher("load", "nodes/s", done / (nanos / 1e9)),
        )
    }

    private fun lateness(percentile: String, nanos: Long) =
        Sample.lower("lateness $percentile", "ms", (nanos / 1e6).coerceAtLeast(LEAST_LATENESS))

    /** Written by its coroutine alone, read after that was joined. */
    private inner class Loop {
        var ticks = 0
        val lateness = Histogram(3) // of nanoseconds

        /** A tick that is still due at the end counts as late as it is then, but not as a tick. */
        suspend fun tick() {
            while (!stopped) {
                val due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS)
                try {
                    delay(TICK_MILLIS)
                    if (!stopped) ticks++
                } finally {
                    val late = minOf(System.nanoTime(), end) - due
                    if (late >= 0) lateness.recordValue(late)
                }
            }
        }
    }

    private fun saturate() {
        when (load) {
            Ticker.Load.FORK_TREE -> scope.launch { while (!stopped) tree(TREE_DEPTH) }
            Ticker.Load.FLOOD -> flood()
            Ticker.Load.FLAT -> scope.launch { while (!stopped) flat() }
        }
    }

    private suspend fun tree(depth: Int): Unit = coroutineScope {
        if (stopped) return@coroutineScope
        if (depth == 0) {
            compute()
        } else {
            launch { tree(depth - 1) }
            launch { tree(depth - 1) }
        }
    }

    private fun flood() {
        val backlog = Semaphore(BACKLOG)
        while (!stopped) {
            backlog.acquire()
            scope.launch {
                backlog.release()
                if (!stopped) compute()
            }
        }
    }

    private suspend fun flat(): Unit = coroutineScope {
        repeat(BACKLOG) { launch { if (!stopped) compute() } }
    }

    private fun compute() {
        computeFor(NODE_NANOS)
        nodes.increment()
    }
}
