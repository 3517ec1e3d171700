package dev.latencyhiding.coroutines

import dev.latencyhiding.LatencyHidingScheduler
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import java.lang.management.ManagementFactory
import java.util.concurrent.atomic.LongAdder
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.job
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch

/**
 * A million coroutines wait at the same time: each comes back, none before its time, and waiting
 * costs bytes, hardly more than where a coroutine that waits belongs to no deque.
 */
class MillionDelaysSpec :
    FunSpec({
        test("a million delays: all come back, none early, and the memory with them") {
            val before = usedHeap()
            val late = LongAdder()
            val early = LongAdder()
            detached(LatencyHiding, deadline = 3.minutes) {
                List(COROUTINES) { i ->
                        val time = (1_000 + i % 1_000).milliseconds
                        launch {
                            val start = TimeSource.Monotonic.markNow()
                            delay(time)
                            if (start.elapsedNow() < time) early.increment() else late.increment()
                        }
                    }
                    .joinAll()
            }
            early.sum() shouldBe 0
            late.sum() shouldBe COROUTINES
            LatencyHidingScheduler.shared().statsWhenQuiet()
            withClue("the heap in bytes, which was $before") {
                usedHeap() shouldBeLessThanOrEqual before + TOLERANCE
            }
        }

        test("a coroutine in delay takes little more memory than on Dispatchers.Default") {
            val onDefault = bytesPerDelay(Dispatchers.Default)
            val onLatencyHiding = bytesPerDelay(LatencyHiding)
            println(
                "a coroutine in delay: $onLatencyHiding bytes on LatencyHiding, $onDefault on Default"
            )
            onLatencyHiding shouldBeLessThanOrEqual onDefault + EXTRA_BYTES
        }
    })

private const val COROUTINES = 1_000_000
private const val MEASURED = 100_000

/**
 * The deque and the suspension, 32 bytes each; the entries in the timers are of like size. And a
 * margin for what else the heap gained or lost meanwhile.
 */
private const val EXTRA_BYTES = 64L + 8L

private const val TOLERANCE = 20L shl 20

private suspend fun bytesPerDelay(dispatcher: CoroutineDispatcher): Long {
    val before = usedHeap()
    val begun = LongAdder()
    val scope = CoroutineScope(dispatcher + Job())
    repeat(MEASURED) {
        scope.launch {
            begun.increment()
            delay(1.hours)
        }
    }
    waitUntil({ "all wait" }, 3.minutes) { begun.sum() == MEASURED.toLong() }
    val bytes = (usedHeap() - before) / MEASURED
    scope.coroutineContext.job.cancelAndJoin()
    return bytes
}

/** After collecting until that changes nothing any more, or for twenty seconds. */
private fun usedHeap(): Long {
    val end = TimeSource.Monotonic.markNow() + 20.seconds
    var used = collect()
    do {
        val before = used
        used = minOf(used, collect())
    } while (before - used > 100_000 && !end.hasPassedNow())
    return used
}

private fun collect(): Long {
    System.gc()
    return ManagementFactory.getMemoryMXBean().heapMemoryUsage.used
}
