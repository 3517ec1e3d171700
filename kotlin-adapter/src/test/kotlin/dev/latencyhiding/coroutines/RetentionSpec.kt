package dev.latencyhiding.coroutines

import dev.latencyhiding.LatencyHidingScheduler
import io.kotest.core.spec.style.StringSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import java.lang.ref.WeakReference
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.hours
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield

/** What is over is not kept alive: not by the timer, not by a worker that has nothing to do. */
class RetentionSpec :
    StringSpec({
        val scheduler = LatencyHidingScheduler.builder().name("forgetful").parallelism(2).build()
        val dispatcher = scheduler.asCoroutineDispatcher()
        afterSpec { scheduler.close() }

        "hundreds of thousands of timeouts that were not needed leave nothing behind" {
            val count = times(200_000)
            on(dispatcher) {
                suspend fun some(n: Int) = coroutineScope {
                    repeat(4) { launch { repeat(n / 4) { withTimeout(1.hours) { yield() } } } }
                }
                some(20_000)
                val before = usedHeap()
                some(count)
                val growth = (usedHeap() - before) / 1024
                println("$count cancelled timeouts: heap grew by $growth KiB")
                growth shouldBeLessThan 10L * 1024
            }
        }

        "delays that were cancelled leave nothing behind" {
            on(dispatcher) {
                suspend fun some(n: Int) =
                    repeat(n) {
                        launch(start = CoroutineStart.UNDISPATCHED) { delay(1.hours) }
                            .cancelAndJoin()
                    }
                some(5_000)
                val before = usedHeap()
                some(times(40_000))
                val growth = (usedHeap() - before) / 1024
                println("${times(40_000)} cancelled delays: heap grew by $growth KiB")
                growth shouldBeLessThan 10L * 1024
            }
        }

        "what a finished coroutine used can be collected while the workers are idle" {
            val waits =
                mapOf<String, suspend (Any) -> Unit>(
                    "nothing" to {},
                    "yield" to { yield() },
                    "delay" to { delay(1) },
                    "withTimeout" to { withTimeout(1.hours) { yield() } },
                    "touch" to { coroutineScope { async { yield() }.touch() } },
                    "hideLatency" to { hideLatency { delay(1) } },
                    "blocking" to { blocking {} },
                    "child" to { coroutineScope { launch { yield() } } },
                )
            waits
                .mapValues { (_, wait) -> leftBehind { on(dispatcher) { wait(it) } } }
                .filterValues { it != null }
                .keys shouldBe emptySet()
        }

        "what a cancelled coroutine used can be collected" {
            leftBehind {
                on(dispatcher) {
                    launch(start = CoroutineStart.UNDISPATCHED) {
                            try {
                                awaitCancellation()
                            } finally {
                                it.hashCode()
                            }
                        }
                        .cancelAndJoin()
                    launch(start = CoroutineStart.UNDISPATCHED) {
                            CompletableDeferred<Unit>().touch()
                            it.hashCode()
                        }
                        .cancelAndJoin()
                }
            }
                .shouldBeNull()
        }
    })

/** Live objects, in bytes. */
private fun usedHeap(): Long {
    val runtime = Runtime.getRuntime()
    // Twice: what the first finds to be finalised or cleaned is gone after the second.
    repeat(2) { System.gc() }
    return runtime.totalMemory() - runtime.freeMemory()
}

/** Hands a big object to the action; what is left of it afterwards. */
private fun leftBehind(action: (Any) -> Unit): Any? {
    fun use(): WeakReference<Any> {
        val used = ByteArray(1 shl 20)
        action(used)
        return WeakReference(used)
    }
    val reference = use()
    val deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10)
    while (reference.get() != null && System.nanoTime() < deadline) {
        System.gc()
    }
    return reference.get()
}
