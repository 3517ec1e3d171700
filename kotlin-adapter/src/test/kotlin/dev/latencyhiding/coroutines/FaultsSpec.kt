package dev.latencyhiding.coroutines

import dev.latencyhiding.LatencyHidingScheduler
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThanOrEqual
import io.kotest.matchers.shouldBe
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineExceptionHandler
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart.UNDISPATCHED
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.ThreadContextElement
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.launch

/**
 * Whatever a coroutine or a callback of it throws, wherever the machinery calls it: the scheduler
 * goes on with all its workers, and somebody is told. One bad coroutine must not take others along.
 */
class FaultsSpec :
    FunSpec({
        test("a node that throws") {
            faulty { told ->
                repeat(FAULTS) { dispatch(EmptyCoroutineContext) { throw Fault() } }
                waitUntil({ "$told" }) { told.size == FAULTS }
            }
        }

        test("a coroutine that throws") {
            faulty { told ->
                val scope = CoroutineScope(this + SupervisorJob())
                List(FAULTS) { scope.launch { throw Fault() } }.forEach { it.join() }
                told.size shouldBe FAULTS
                shouldThrow<Fault> { scope.async { throw Fault() }.await() }
            }
        }

        test("a completion handler that throws") {
            faulty { told ->
                val scope = CoroutineScope(this + SupervisorJob())
                repeat(FAULTS) {
                    val gate = CompletableDeferred<Unit>()
                    val job = scope.launch { gate.touch() }
                    job.invokeOnCompletion { throw Fault() }
                    gate.complete(Unit)
                    job.join()
                }
                waitUntil({ "$told" }) { told.size == FAULTS }
            }
        }

        test("a completion handler of what is touched throws on a worker") {
            faulty {
                val scope = CoroutineScope(this + SupervisorJob())
                repeat(FAULTS) {
                    val gate = CompletableDeferred<Int>()
                    val before = scope.async(start = UNDISPATCHED) { gate.touch() }
                    gate.invokeOnCompletion { throw Fault() }
                    val after = scope.async(start = UNDISPATCHED) { gate.touch() }
                    scope.launch { runCatching { gate.complete(1) } }.join()
                    before.await() + after.await() shouldBe 2
                }
            }
        }

        test("a context element that throws when a thread takes up the coroutine") {
            faulty { told ->
                val scope = CoroutineScope(this + SupervisorJob())
                repeat(FAULTS) { scope.launch(FaultyElement(onUpdate = true)) {} }
                waitUntil({ "$told" }) { told.size >= FAULTS }
            }
        }

        test("a context element that throws when a thread leaves the coroutine") {
            faulty { told ->
                val scope = CoroutineScope(this + SupervisorJob())
                repeat(FAULTS) { scope.launch(FaultyElement(onUpdate = false)) {} }
                waitUntil({ "$told" }) { told.size >= FAULTS }
            }
        }

        test("an exception handler that throws itself") {
            faulty { told ->
                val handler = CoroutineExceptionHandler { _, _ -> error("the handler, too") }
                val scope = CoroutineScope(this + SupervisorJob() + handler)
                List(FAULTS) { scope.launch { throw Fault() } }.forEach { it.join() }
                told.size shouldBeGreaterThanOrEqual FAULTS
            }
        }

        test("a stack overflow") {
            faulty {
                repeat(3) {
                    val scope = CoroutineScope(this + SupervisorJob())
                    val deep = scope.async { deeper(0) }
                    val hidden = scope.async { hideLatency { foreignWait() + deeper(0) } }
                    shouldThrow<StackOverflowError> { deep.await() }
                    shouldThrow<StackOverflowError> { hidden.await() }
                }
            }
        }

        test("no memory") {
            faulty {
                val scope = CoroutineScope(this + SupervisorJob())
                val large = scope.async {
                    hideLatency { LongArray(foreignWait() * Int.MAX_VALUE).size }
                }
                shouldThrow<OutOfMemoryError> { large.await() }
            }
        }

        test("blocks of hideLatency and blocking that throw errors") {
            faulty {
                val scope = CoroutineScope(this + SupervisorJob())
                shouldThrow<LinkageError> {
                    scope.async { hideLatency { throw LinkageError() } }.await()
                }
                shouldThrow<LinkageError> {
                    scope.async { blocking { throw LinkageError() } }.await()
                }
            }
        }
    })

private const val FAULTS = 10

private class Fault : RuntimeException()

private fun deeper(depth: Int): Int = deeper(depth + 1) + 1

private class FaultyElement(private val onUpdate: Boolean) : ThreadContextElement<Unit> {
    companion object Key : CoroutineContext.Key<FaultyElement>

    override val key = Key

    override fun updateThreadContext(context: CoroutineContext) {
        if (onUpdate) throw Fault()
    }

    override fun restoreThreadContext(context: CoroutineContext, oldState: Unit) {
        if (!onUpdate) throw Fault()
    }
}

/** Runs [faults] against a scheduler of its own, then checks that all workers still work. */
private suspend fun faulty(
    faults: suspend CoroutineDispatcher.(told: Collection<Throwable>) -> Unit
) {
    val told = ConcurrentLinkedQueue<Throwable>()
    val scheduler =
        LatencyHidingScheduler.builder()
            .name("faulty")
            .parallelism(2)
            .uncaughtExceptionHandler { _, error -> told += error }
            .build()
    try {
        val dispatcher = scheduler.asCoroutineDispatcher()
        dispatcher.faults(told)
        scheduler.allWorkersMeet()
        scheduler.statsWhenQuiet()
    } finally {
        scheduler.shutdownAbandoningSuspensions()
    }
}

private suspend fun LatencyHidingScheduler.allWorkersMeet() {
    val arrived = AtomicInteger()
    detached(asCoroutineDispatcher()) {
        val all =
            List(parallelism()) {
                async {
                    arrived.incrementAndGet()
                    spinUntil("all workers are here") { arrived.get() == parallelism() }
                    Thread.currentThread()
                }
            }
        withClue(stats()) { all.awaitAll().toSet().size shouldBe parallelism() }
    }
}
