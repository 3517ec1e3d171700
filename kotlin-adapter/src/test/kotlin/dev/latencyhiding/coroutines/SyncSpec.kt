package dev.latencyhiding.coroutines

import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.StringSpec
import io.kotest.core.spec.style.stringSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.ints.shouldBeInRange
import io.kotest.matchers.shouldBe
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.job
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.Semaphore
import kotlinx.coroutines.sync.withLock
import kotlinx.coroutines.sync.withPermit
import kotlinx.coroutines.yield

/** Mutual exclusion with visibility, and waiters who are served in the order in which they came. */
class SyncSpec : StringSpec({ onEachDispatcher(::synchronisation) })

private fun synchronisation(dispatcher: CoroutineDispatcher): TestFactory = stringSpec {
    "a mutex protects a plain variable" {
        var count = 0
        on(dispatcher) {
            val mutex = Mutex()
            repeat(50) {
                launch {
                    repeat(200) {
                        mutex.withLock {
                            val before = count
                            if (it % 10 == 0) yield()
                            count = before + 1
                        }
                    }
                }
            }
        }
        count shouldBe 10_000
    }

    "a mutex serves its waiters first come, first served" {
        val mutex = Mutex(locked = true)
        orderOfEntry(dispatcher, open = { mutex.unlock() }) { mutex.withLock { it() } }
            .shouldContainExactly(List(WAITERS) { it })
    }

    "a coroutine that takes a mutex again and again does not shut out another" {
        on(dispatcher) {
            val mutex = Mutex()
            var stop = false
            val greedy = launch { while (!mutex.withLock { stop }) yield() }
            launch { mutex.withLock { stop = true } }
            greedy.join()
        }
    }

    "a semaphore lets in as many as it has permits" {
        val crowd = Crowd()
        on(dispatcher) {
            val semaphore = Semaphore(3)
            repeat(100) {
                launch {
                    repeat(20) {
                        semaphore.withPermit { crowd.visit { yield() } }
                    }
                }
            }
        }
        crowd.max shouldBeInRange 1..3 // how many meet is the scheduler's choice
    }

    "a semaphore lets all in for whom it has permits, at once" {
        on(dispatcher) {
            val semaphore = Semaphore(3)
            val inside = AtomicInteger()
            val allInside = CompletableDeferred<Unit>()
            repeat(3) {
                launch {
                    semaphore.withPermit {
                        if (inside.incrementAndGet() == 3) allInside.complete(Unit)
                        allInside.await() // for ever, if one is kept out
                    }
                }
            }
        }
    }

    "a semaphore serves its waiters first come, first served" {
        val semaphore = Semaphore(1, acquiredPermits = 1)
        orderOfEntry(dispatcher, open = { semaphore.release() }) { semaphore.withPermit { it() } }
            .shouldContainExactly(List(WAITERS) { it })
    }

    "a mutex can be held over any wait, by many who pass it on" {
        on(dispatcher) {
            val locks = List(5) { Mutex() }
            var meals = 0
            val table = Mutex()
            repeat(5) { i ->
                launch {
                    val (first, second) = listOf(i, (i + 1) % 5).sorted()
                    repeat(100) {
                        locks[first].withLock {
                            yield()
                            locks[second].withLock { table.withLock { meals++ } }
                        }
                    }
                }
            }
            coroutineContext.job.children.toList().joinAll()
            meals shouldBe 500
        }
    }
}

private const val WAITERS = 200

/**
 * In which order coroutines get in that were waiting, one after the other, before the gate opened.
 */
private fun orderOfEntry(
    dispatcher: CoroutineDispatcher,
    open: () -> Unit,
    enter: suspend (action: () -> Unit) -> Unit,
): List<Int> {
    val order = ArrayList<Int>()
    on(dispatcher) {
        val waiting =
            List(WAITERS) {
                launch(start = CoroutineStart.UNDISPATCHED) { enter { order.add(it) } }
            }
        open()
        waiting.joinAll()
    }
    return order
}
