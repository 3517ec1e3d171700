package dev.latencyhiding.coroutines

import dev.latencyhiding.LatencyHidingScheduler
import io.kotest.core.spec.style.StringSpec
import io.kotest.matchers.doubles.shouldBeGreaterThan
import io.kotest.matchers.doubles.shouldBeLessThan
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout

/**
 * Timers fire while every worker computes (kx#476). A ticker counts how often it gets to run beside
 * a load; the ideal is one tick for each period that the load lasts. `Dispatchers.Default` runs the
 * same in the same JVM, as a control: where its ticker does well too, the load is no load.
 */
class SaturatedTimerSpec :
    StringSpec({
        val workers = Runtime.getRuntime().availableProcessors().coerceAtLeast(2)
        val scheduler =
            LatencyHidingScheduler.builder().name("ticking").parallelism(workers).build()
        val dispatcher = scheduler.asCoroutineDispatcher()
        afterSpec { scheduler.close() }

        val slices = scaled(100, 200) * workers

        // (a)
        "a ticker beside a backlog launched from outside; the control stands still" {
            val ours = bestTicksBeside(dispatcher) { backlog(dispatcher, slices) }
            val control = ticksBeside(Dispatchers.Default) { backlog(Dispatchers.Default, slices) }
            println("ticker beside a backlog from outside: $ours, on Dispatchers.Default $control")
            ours.shouldBePunctual()
            control.share shouldBeLessThan 0.2
        }

        // (b)
        "a ticker beside a fork tree" {
            val ours = bestTicksBeside(dispatcher) { withContext(dispatcher) { tree(slices) } }
            println("ticker beside a fork tree: $ours")
            ours.shouldBePunctual()
        }

        // (c)
        "a ticker beside a backlog launched from inside" {
            val ours =
                bestTicksBeside(dispatcher) {
                    withContext(dispatcher) { repeat(slices) { launch { spin(SLICE) } } }
                }
            println("ticker beside a backlog from inside: $ours")
            ours.shouldBePunctual()
        }

        "a ticker on a view with limited parallelism of a saturated pool" {
            val view = dispatcher.limitedParallelism(1)
            val ours = bestTicksBeside(view) { backlog(dispatcher, slices) }
            println("ticker on a view of 1: $ours")
            ours.shouldBePunctual()
        }

        // With an endless computation on every worker nobody could take a core away.
        "checkpoint lets a ticker run beside one endless loop per worker; without it none runs" {
            val ours =
                bestTicksBeside(dispatcher) { endlessLoops(dispatcher, workers) { checkpoint() } }
            newScheduler(workers).use { own ->
                val alone = own.asCoroutineDispatcher()
                val control = ticksBeside(alone) { endlessLoops(alone, workers) {} }
                println("ticker beside endless loops with checkpoints: $ours, without: $control")
                control.share shouldBeLessThan 0.2
            }
            ours.shouldBePunctual()
        }

        "what a checkpoint costs when nobody waits" {
            val nanos =
                on(dispatcher) {
                    var best = Long.MAX_VALUE
                    repeat(5) {
                        val start = System.nanoTime()
                        repeat(1_000_000) { checkpoint() }
                        best = minOf(best, System.nanoTime() - start)
                    }
                    best / 1_000_000.0
                }
            println("checkpoint: %.1f ns".format(nanos))
            nanos shouldBeLessThan 1000.0
        }

        // kx#2469: the timer cancels in time, but what it cancels must get to run, too.
        "timeouts end in time although every worker computes" {
            val count = scaled(2_000, 10_000)
            val ended = AtomicInteger()
            val survivors = AtomicInteger()
            val latest = AtomicLong()
            val load = CoroutineScope(dispatcher + Job())
            val stop = CountDownLatch(1)
            repeat(4 * workers) {
                load.launch {
                    while (stop.count > 0) {
                        spin(SLICE)
                        launch {}.join()
                    }
                }
            }
            val scope = CoroutineScope(dispatcher + Job())
            val jobs =
                List(count) {
                    scope.launch {
                        val start = System.nanoTime()
                        try {
                            withTimeout(50.milliseconds) { delay(20_000) }
                            survivors.incrementAndGet()
                        } catch (_: TimeoutCancellationException) {
                            ended.incrementAndGet()
                        }
                        latest.accumulateAndGet(System.nanoTime() - start, Math::max)
                    }
                }
            runBlocking { jobs.joinAll() }
            stop.countDown()
            runBlocking { load.coroutineContext[Job]!!.cancelAndJoin() }
            println(
                "$count timeouts of 50 ms beside a load: the last after ${latest.get() / 1_000_000} ms"
            )
            survivors.get() shouldBe 0
            ended.get() shouldBe count
            // 50 ms, and far from the 20 s; a backlog of all of them would be more than this.
            TimeUnit.NANOSECONDS.toMillis(latest.get()) shouldBeLessThan scaled(2_000, 120).toLong()
        }
    })

private const val SLICE = 5_000_000L // of the computing tasks, in nanoseconds

// In long mode what users ask for, else shorter and with room for a noisy machine.
private val PERIOD_MS = scaled(40, 100).toLong()
private val ENOUGH = scaled(80, 90) / 100.0 // of the ideal number of ticks

/** What a ticker saw: when it ticked, how late, and for how long it was watched. */
private class Ticks(private val latenessNanos: List<Long>, private val millis: Long) {
    val share: Double
        get() = latenessNanos.size / (millis.toDouble() / PERIOD_MS)

    private fun lateness(quantile: Double): Double =
        latenessNanos.sorted().let { it[(quantile * (it.size - 1)).toInt()] / 1e6 }

    fun shouldBePunctual() {
        share shouldBeGreaterThan ENOUGH
        if (scaled(0, 1) == 1) {
            lateness(0.99) shouldBeLessThan 2 * SLICE / 1e6 + 10
            lateness(1.0) shouldBeLessThan 4 * SLICE / 1e6 + 50
        }
    }

    override fun toString(): String =
        "%d ticks in %d ms (%.0f %% of ideal)".format(latenessNanos.size, millis, 100 * share) +
            if (latenessNanos.isEmpty()) ""
            else ", late by %.1f ms in p99, %.1f at most".format(lateness(0.99), lateness(1.0))
}

/** How often a coroutine that only waits gets to run on the dispatcher while the load lasts. */
private fun ticksBeside(
    dispatcher: CoroutineDispatcher,
    load: suspend CoroutineScope.() -> Unit,
): Ticks = runBlocking {
    val ticks = ConcurrentLinkedQueue<Long>()
    val ticking = CountDownLatch(1)
    val ticker =
        CoroutineScope(dispatcher).launch {
            // Against a schedule, so that the ideal is one tick per period; missed ones are lost.
            val start = System.nanoTime()
            while (true) {
                val wait = PERIOD_MS - (System.nanoTime() - start) / 1_000_000 % PERIOD_MS
                val due = System.nanoTime() + wait * 1_000_000
                delay(wait)
                ticks.add(System.nanoTime() - due)
                ticking.countDown()
            }
        }
    ticking.await()
    ticks.clear()
    val start = System.nanoTime()
    coroutineScope { load() }
    val result = Ticks(ticks.toList(), (System.nanoTime() - start) / 1_000_000)
    ticker.cancelAndJoin()
    result
}

/** Other processes can only take ticks away, so the best of a few attempts counts. */
private fun bestTicksBeside(
    dispatcher: CoroutineDispatcher,
    load: suspend CoroutineScope.() -> Unit,
): Ticks {
    var best = ticksBeside(dispatcher, load)
    repeat(3) {
        if (best.share <= ENOUGH)
            best = maxOf(best, ticksBeside(dispatcher, load), compareBy { it.share })
    }
    return best
}

/** Lasts for some ticks; the step is done in every turn of each loop. */
private suspend fun endlessLoops(
    dispatcher: CoroutineDispatcher,
    count: Int,
    step: suspend () -> Unit,
) {
    val stop = CompletableDeferred<Unit>()
    val loops =
        List(count) {
            CoroutineScope(dispatcher).launch { while (!stop.isCompleted) step() }
        }
    delay(20 * PERIOD_MS)
    stop.complete(Unit)
    loops.joinAll()
}

private suspend fun backlog(dispatcher: CoroutineDispatcher, slices: Int) {
    val scope = CoroutineScope(dispatcher + Job())
    List(slices) { scope.launch { spin(SLICE) } }.joinAll()
}

private suspend fun tree(slices: Int): Unit = coroutineScope {
    if (slices <= 1) spin(SLICE)
    else {
        launch { tree(slices / 2) }
        launch { tree(slices - slices / 2) }
    }
}
