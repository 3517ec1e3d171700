package dev.latencyhiding.coroutines

import dev.latencyhiding.LatencyHidingScheduler
import dev.latencyhiding.SchedulerStats
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.resume
import kotlin.coroutines.suspendCoroutine
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.suspendCancellableCoroutine

/**
 * A declared wait gives the deque away, and the coroutine comes back to its bottom.
 *
 * The coroutine launches a, b and c, which lie in its deque in this order from the top, and waits.
 * On a declared wait its worker is a thief: it steals a, off the top. While a runs the wait ends.
 * The coroutine is back, at the bottom; it goes on and launches d, above which nothing is. So d is
 * next, then c and b, and nobody had to mug the deque. On an undeclared wait the worker goes on at
 * the bottom: c comes first.
 */
class WhereItResumesSpec :
    FunSpec({
        val declared =
            mapOf<String, suspend (Operation) -> Unit>(
                "delay" to { delay(100.milliseconds) },
                "touch of a Deferred" to { it.deferred.touch() },
                "touch of a stage" to { it.future.touch() },
                "hideLatency" to { hideLatency { it.deferred.await() } },
                "hideLatency of a callback" to { hideLatency { it.awaitCallback() } },
                "hideLatency of a time-out" to { hideLatency { it.awaitInScope() } },
                "blocking" to { blocking { it.awaitBlocking() } },
            )
        for (parallelism in 1..2) {
            for ((name, wait) in declared) {
                test("$name, P = $parallelism: back to the bottom of the deque it left") {
                    val (order, stats) = orderAround(parallelism, { it.resumes() > 0 }, wait)
                    order shouldBe listOf("a", "back", "d", "c", "b")
                    stats.resumes() shouldBe 1
                    stats.wakeUps() shouldBe 1
                    stats.muggings() shouldBe 0
                }
            }

            test("await, P = $parallelism: the worker keeps its deque") {
                val (order, stats) = orderAround(parallelism, { true }) { it.deferred.await() }
                order shouldBe listOf("c", "back", "d", "b", "a")
                stats.suspensions() shouldBe 0
                stats.wakeUps() shouldBe 1
            }

            test("undeclared waits that foreign threads end, P = $parallelism: none is lost") {
                val waits = scaled(20_000, 1_000_000)
                val callers = Executors.newFixedThreadPool(2)
                val back = AtomicInteger()
                onOwnScheduler(parallelism) {
                    val all =
                        List(COROUTINES) { i ->
                            launch {
                                repeat(waits / COROUTINES) {
                                    if (i % 2 == 0) {
                                        suspendCoroutine { callers.execute { it.resume(Unit) } }
                                    } else {
                                        suspendCancellableCoroutine {
                                            callers.execute { it.resume(Unit) }
                                        }
                                    }
                                    back.incrementAndGet()
                                }
                            }
                        }
                    all.joinAll()
                }
                callers.shutdown()
                back.get() shouldBe waits
            }
        }
    })

private const val COROUTINES = 100

/** What the coroutine waits for; ends from a foreign thread, as NIO.2 does it. */
private class Operation {
    val deferred = CompletableDeferred<Unit>()
    val future = CompletableFuture<Unit>()
    private val latch = CountDownLatch(1)

    fun complete() {
        completeFromOutside {
            deferred.complete(Unit)
            future.complete(Unit)
            latch.countDown()
        }
    }

    suspend fun awaitCallback() = suspendCancellableCoroutine { continuation ->
        future.whenComplete { _, _ -> continuation.resume(Unit) }
    }

    suspend fun awaitInScope() = coroutineScope { deferred.await() }

    fun awaitBlocking() = latch.await()
}

private suspend fun orderAround(
    parallelism: Int,
    isBack: (SchedulerStats) -> Boolean,
    wait: suspend (Operation) -> Unit,
): Pair<List<String>, SchedulerStats> {
    val order = ConcurrentLinkedQueue<String>()
    val isOver = AtomicBoolean()
    val stats =
        onOwnScheduler(parallelism) { scheduler ->
            repeat(parallelism - 1) { scheduler.hogAnotherWorker(isOver) }
            val operation = Operation()
            fun node(name: String) = launch {
                order += name
                if (order.size == 1) {
                    // It is the first after the wait began: now the wait ends.
                    operation.complete()
                    spinUntil("the coroutine is back") { isBack(scheduler.stats()) }
                }
            }
            val nodes = listOf("a", "b", "c").map { node(it) }
            wait(operation)
            order += "back"
            (nodes + node("d")).joinAll()
            isOver.set(true)
        }
    return order.toList() to stats
}

/** Returns when another worker is held, so that only the calling one runs nodes. */
private fun LatencyHidingScheduler.hogAnotherWorker(isOver: AtomicBoolean) {
    val isHeld = AtomicBoolean()
    execute {
        isHeld.set(true)
        spinUntil("the test is over") { isOver.get() }
    }
    spinUntil("a worker is held") { isHeld.get() }
}
