package dev.latencyhiding.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.StringSpec
import io.kotest.core.spec.style.stringSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import java.io.IOException
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineExceptionHandler
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.job
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield

/**
 * Jobs, scopes and the ways of an exception are made by the coroutine library; a dispatcher breaks
 * them when it loses a block, runs it twice, or runs it inside another one.
 */
class StructuredConcurrencySpec : StringSpec({ onEachDispatcher(::structuredConcurrency) })

private fun structuredConcurrency(dispatcher: CoroutineDispatcher): TestFactory = stringSpec {
    "coroutineScope waits for all descendants" {
        val ended = AtomicInteger()
        on(dispatcher) {
            coroutineScope {
                repeat(100) {
                    launch {
                        repeat(10) {
                            launch {
                                yield()
                                ended.incrementAndGet()
                            }
                        }
                        ended.incrementAndGet()
                    }
                }
            }
            ended.get() shouldBe 1100
        }
    }

    "a tree of asyncs adds up" {
        suspend fun sum(from: Int, to: Int): Long = coroutineScope {
            if (to - from == 1) from.toLong()
            else {
                val mid = (from + to) / 2
                val left = async { sum(from, mid) }
                val right = async { sum(mid, to) }
                left.await() + right.await()
            }
        }
        on(dispatcher) { sum(0, 4096) } shouldBe 4096L * 4095 / 2
    }

    "a failed child cancels its siblings, and the scope throws its exception" {
        val cancelled = AtomicInteger()
        val failure =
            shouldThrow<IOException> {
                on(dispatcher) {
                    coroutineScope {
                        repeat(50) {
                            launch(start = CoroutineStart.UNDISPATCHED) {
                                try {
                                    awaitCancellation()
                                } finally {
                                    cancelled.incrementAndGet()
                                }
                            }
                        }
                        launch { throw IOException("child") }
                    }
                }
            }
        failure.message shouldBe "child"
        cancelled.get() shouldBe 50
    }

    "what a sibling throws while it is cancelled is suppressed" {
        val failure =
            shouldThrow<IOException> {
                on(dispatcher) {
                    coroutineScope {
                        launch(start = CoroutineStart.UNDISPATCHED) {
                            try {
                                awaitCancellation()
                            } finally {
                                error("while cleaning up")
                            }
                        }
                        launch { throw IOException("first") }
                    }
                }
            }
        generateSequence<Throwable>(failure) { it.cause }
            .flatMap { it.suppressed.asSequence() }
            .map { it.message }
            .toSet() shouldBe setOf("while cleaning up")
    }

    "supervisorScope keeps the others" {
        val handled = ConcurrentLinkedQueue<Throwable>()
        val values =
            on(dispatcher) {
                supervisorScope {
                    val handler = CoroutineExceptionHandler { _, e -> handled.add(e) }
                    val failing = List(20) { launch(handler) { throw IOException("$it") } }
                    val others =
                        List(20) {
                            async {
                                failing.joinAll()
                                it
                            }
                        }
                    others.awaitAll()
                }
            }
        values shouldContainExactly List(20) { it }
        handled.map { it.message } shouldContainExactlyInAnyOrder List(20) { "$it" }
    }

    "cancelling a parent reaches every descendant, whose finally may wait" {
        val cleaned = AtomicInteger()
        on(dispatcher) {
            val started = AtomicInteger()
            val all = CompletableDeferred<Unit>()
            suspend fun nest(depth: Int): Unit = coroutineScope {
                if (depth > 0) repeat(3) { launch { nest(depth - 1) } }
                if (started.incrementAndGet() == 40) all.complete(Unit) // 1 + 3 + 9 + 27
                try {
                    awaitCancellation()
                } finally {
                    withContext(NonCancellable) { delay(1) }
                    cleaned.incrementAndGet()
                }
            }
            val root = launch { nest(3) }
            all.await()
            root.cancelAndJoin()
            root.isCancelled shouldBe true
        }
        cleaned.get() shouldBe 40
    }

    "a job completes after its children" {
        on(dispatcher) {
            val gate = CompletableDeferred<Unit>()
            val parent = Job()
            val scope = CoroutineScope(dispatcher + parent)
            val children = List(10) { scope.launch { gate.await() } }
            parent.children.toList() shouldContainExactlyInAnyOrder children
            parent.complete()
            parent.isCompleted shouldBe false
            gate.complete(Unit)
            parent.join()
            children.all { it.isCompleted } shouldBe true
            parent.children.toList() shouldHaveSize 0
        }
    }

    "a child's job is linked to its scope, and cancelling a child leaves the parent" {
        on(dispatcher) {
            val child = launch(start = CoroutineStart.UNDISPATCHED) { awaitCancellation() }
            coroutineContext.job.children.contains(child) shouldBe true
            child.cancelAndJoin()
            coroutineContext.job.isActive shouldBe true
        }
    }

    "the exception handler gets what a root coroutine throws, once" {
        val handled = ConcurrentLinkedQueue<Throwable>()
        val thrown = IOException("root")
        val handler = CoroutineExceptionHandler { _, e -> handled.add(e) }
        runBlocking {
            val scope = CoroutineScope(dispatcher + handler + SupervisorJob())
            scope.launch { launch { launch { throw thrown } } }.join()
            scope.async { throw IOException("kept for await") }.join()
            scope.launch { throw CancellationException("silent") }.join()
            scope.cancel()
        }
        handled shouldHaveSize 1
        handled.single() shouldBeSameInstanceAs thrown
    }

    "an exception nobody handles reaches the thread's handler, and the thread goes on" {
        val count = 50
        val handled = ConcurrentLinkedQueue<Throwable>()
        val all = CountDownLatch(count)
        val before = Thread.getDefaultUncaughtExceptionHandler()
        Thread.setDefaultUncaughtExceptionHandler { _, e ->
            handled.add(e)
            all.countDown()
        }
        try {
            val scope = CoroutineScope(dispatcher + SupervisorJob())
            repeat(count) { scope.launch { throw IOException("$it") } }
            all.await(30, TimeUnit.SECONDS) shouldBe true
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before)
        }
        handled.map { it.message } shouldContainExactlyInAnyOrder List(count) { "$it" }
        on(dispatcher) { List(100) { async { it } }.awaitAll().sum() } shouldBe 4950
    }

    "await rethrows every time" {
        on(dispatcher) {
            supervisorScope {
                val failing = async<Int> { throw IOException("again") }
                repeat(3) { shouldThrow<IOException> { failing.await() }.message shouldBe "again" }
            }
        }
    }

    "a lazy coroutine runs once, whoever starts it" {
        val runs = AtomicInteger()
        on(dispatcher) {
            val lazy = async(start = CoroutineStart.LAZY) { runs.incrementAndGet() }
            List(50) { async { lazy.await() } }.awaitAll().toSet() shouldBe setOf(1)
        }
        runs.get() shouldBe 1
    }

    "an atomic coroutine starts although it was cancelled, a plain one does not" {
        val runs = ConcurrentLinkedQueue<String>()
        on(dispatcher) {
            val cancelled = CoroutineScope(dispatcher + Job()).apply { cancel() }
            @OptIn(DelicateCoroutinesApi::class)
            cancelled.launch(start = CoroutineStart.ATOMIC) { runs.add("atomic") }.join()
            cancelled.launch { runs.add("plain") }.join()
        }
        runs.toList() shouldContainExactly listOf("atomic")
    }
}
