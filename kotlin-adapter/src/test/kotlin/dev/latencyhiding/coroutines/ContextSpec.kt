package dev.latencyhiding.coroutines

import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.StringSpec
import io.kotest.core.spec.style.stringSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldEndWith
import io.kotest.matchers.string.shouldMatch
import io.kotest.matchers.string.shouldNotContain
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.matchers.types.shouldBeSameInstanceAs
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ThreadContextElement
import kotlinx.coroutines.asContextElement
import kotlinx.coroutines.asExecutor
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.future.await
import kotlinx.coroutines.future.future
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.slf4j.MDCContext
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.slf4j.LoggerFactory
import org.slf4j.MDC

/**
 * What goes with a coroutine from thread to thread, and how it gets on the dispatcher and off it. A
 * dispatcher that ran one block inside another would leave the context of one in the other.
 */
class ContextSpec : StringSpec({ onEachDispatcher(::contexts) })

/** Counts that every update is followed by its restore, on the same thread. */
private class Tracked(private val balance: AtomicInteger) :
    AbstractCoroutineContextElement(Key), ThreadContextElement<Thread> {
    override fun updateThreadContext(context: CoroutineContext): Thread {
        balance.incrementAndGet()
        check(inside.get() == null) { "a block runs inside another" }
        inside.set(this)
        return Thread.currentThread()
    }

    override fun restoreThreadContext(context: CoroutineContext, oldState: Thread) {
        check(oldState === Thread.currentThread())
        check(inside.get() === this)
        inside.remove()
        balance.decrementAndGet()
    }

    companion object Key : CoroutineContext.Key<Tracked> {
        val inside = ThreadLocal<Tracked>()
    }
}

private val local = ThreadLocal<String>()

/** Looks at several workers at once, by holding them. */
private fun <T> onTwoWorkers(dispatcher: CoroutineDispatcher, look: () -> T): List<T> {
    val barrier = CyclicBarrier(2)
    return on(dispatcher) {
        List(2) {
                async {
                    barrier.await(30, TimeUnit.SECONDS)
                    look()
                }
            }
            .awaitAll()
    }
}

private fun contexts(dispatcher: CoroutineDispatcher): TestFactory = stringSpec {
    "withContext of the same dispatcher stays on the thread and does not go through a queue" {
        on(dispatcher) {
            repeat(1000) {
                val before = Thread.currentThread()
                withContext(dispatcher + CoroutineName("inner")) { Thread.currentThread() }
                    .shouldBeSameInstanceAs(before)
            }
        }
    }

    "withContext to another dispatcher and back" {
        on(dispatcher) {
            suspend fun here() = currentCoroutineContext()[ContinuationInterceptor]
            repeat(500) {
                withContext(Dispatchers.IO) { here() } shouldBe Dispatchers.IO
                withContext(LatencyHiding) { here() } shouldBe LatencyHiding
                withContext(Dispatchers.Default) { here() } shouldBe Dispatchers.Default
                here() shouldBe dispatcher
            }
        }
    }

    "Unconfined begins here and goes on where it is resumed" {
        on(dispatcher) {
            val gate = CompletableDeferred<Unit>()
            val before = Thread.currentThread()
            val seen =
                async(Dispatchers.Unconfined) {
                    val first = Thread.currentThread()
                    gate.await()
                    first to Thread.currentThread()
                }
            gate.complete(Unit)
            seen.await() shouldBe (before to before)
        }
    }

    "runBlocking outside: many at a time" {
        val threads = List(4) { Thread { runBlocking(dispatcher) { repeat(500) { yield() } } } }
        threads.forEach { it.start() }
        threads.forEach { it.join(30_000) }
        threads.any { it.isAlive } shouldBe false
    }

    "runBlocking inside a worker, with an event loop of its own" {
        on(dispatcher) {
            runBlocking {
                val channel = Channel<Int>()
                launch { repeat(100) { channel.send(it) } }
                delay(1)
                List(100) { channel.receive() } shouldContainExactly List(100) { it }
            }
        }
    }

    "runBlocking inside one worker that needs another" {
        on(dispatcher) { runBlocking { withContext(dispatcher) { async { 42 }.await() } } } shouldBe
            42
    }

    "a thread context element is set for every step, and for nothing else" {
        val balance = AtomicInteger()
        on(dispatcher) {
            repeat(50) {
                launch(Tracked(balance)) {
                    repeat(50) { step ->
                        check(Tracked.inside.get() === currentCoroutineContext()[Tracked])
                        when (step % 4) {
                            0 -> yield()
                            1 -> delay(1)
                            2 -> async { check(Tracked.inside.get() != null) }.await()
                            else -> withContext(Dispatchers.IO) { Tracked.inside.get() != null }
                        }
                    }
                }
                launch { repeat(50) { yield().also { check(Tracked.inside.get() == null) } } }
            }
        }
        // The last one is restored after its coroutine has ended.
        eventually(10.seconds) { balance.get() shouldBe 0 }
        onTwoWorkers(dispatcher) { Tracked.inside.get() } shouldContainExactly listOf(null, null)
    }

    "a thread local goes with its coroutine, and leaves nothing behind" {
        on(dispatcher) {
            repeat(20) { i ->
                launch(local.asContextElement("$i")) {
                    repeat(50) {
                        local.get() shouldBe "$i"
                        local.set("changed until the next suspension")
                        yield()
                        local.get() shouldBe "$i"
                        delay(it % 2L)
                        local.get() shouldBe "$i"
                        withContext(local.asContextElement("inner")) {
                            yield()
                            local.get() shouldBe "inner"
                        }
                    }
                }
            }
        }
        onTwoWorkers(dispatcher) { local.get() } shouldContainExactly listOf(null, null)
    }

    "the MDC goes with its coroutine, and leaves nothing behind" {
        LoggerFactory.getILoggerFactory() // on one thread, before many use it
        on(dispatcher) {
            repeat(20) { i ->
                launch(MDCContext(mapOf("request" to "$i"))) {
                    repeat(50) {
                        if (it % 2 == 0) yield() else delay(1)
                        MDC.get("request") shouldBe "$i"
                    }
                    withContext(Dispatchers.IO) { MDC.get("request") shouldBe "$i" }
                    hideLatency { delay(1) }
                    MDC.get("request") shouldBe "$i"
                    blocking { MDC.get("request") } shouldBe "$i"
                }
            }
        }
        onTwoWorkers(dispatcher) { MDC.get("request") } shouldContainExactly listOf(null, null)
    }

    "the name of the coroutine is in the name of the thread while it runs" {
        on(dispatcher) {
            withContext(CoroutineName("crawl")) {
                repeat(20) {
                    Thread.currentThread().name shouldMatch ".*-(worker|spare)-\\d+ @crawl#\\d+"
                    delay(1)
                }
            }
        }
        onTwoWorkers(dispatcher) { Thread.currentThread().name }
            .forEach {
                it shouldNotContain "crawl"
            }
        val name = CompletableDeferred<String>()
        dispatcher.asExecutor().execute { name.complete(Thread.currentThread().name) }
        runBlocking { name.await() } shouldNotContain "@"
    }

    "asExecutor runs Java code on the workers" {
        val executor = dispatcher.asExecutor()
        CompletableFuture.supplyAsync({ Thread.currentThread().name }, executor)
            .thenApplyAsync({ it.substringBefore(" @") }, executor)
            .get(30, TimeUnit.SECONDS) shouldMatch ".*-(worker|spare)-\\d+"
        val runs = AtomicInteger()
        CompletableFuture.allOf(
                *Array(1000) { CompletableFuture.runAsync({ runs.incrementAndGet() }, executor) }
            )
            .get(30, TimeUnit.SECONDS)
        runs.get() shouldBe 1000
    }

    "future and await: values, exceptions, and cancellation both ways" {
        val scope = CoroutineScope(dispatcher)
        scope.future { 42 }.get(30, TimeUnit.SECONDS) shouldBe 42
        val failed = scope.future { throw IOException("f") }
        runCatching { failed.join() }
            .exceptionOrNull()
            .shouldBeInstanceOf<CompletionException>()
            .cause!!
            .message shouldBe "f"
        on(dispatcher) {
            val stage = CompletableFuture<Int>()
            val waiting = launch(start = CoroutineStart.UNDISPATCHED) { stage.await() }
            waiting.cancel()
            waiting.join()
            stage.isCancelled shouldBe true

            val ended = CompletableDeferred<Unit>()
            val future =
                future(start = CoroutineStart.UNDISPATCHED) {
                    try {
                        awaitCancellation()
                    } finally {
                        ended.complete(Unit)
                    }
                }
            future.cancel(false)
            ended.await()
        }
        shouldThrow<IOException> {
                on(dispatcher) { CompletableFuture.failedFuture<Int>(IOException("s")).await() }
            }
            .message shouldEndWith "s"
    }

    "runTest waits for a coroutine on the dispatcher, in real time" {
        // What other tests threw is reported to the first test that follows.
        runCatching { runTest {} }
        runTest {
            val work =
                async(dispatcher) {
                    delay(5)
                    yield()
                    Thread.currentThread().name
                }
            delay(3_600_000) // virtual
            withContext(dispatcher) { delay(1) }
            work.await() shouldMatch ".*-(worker|spare)-\\d+.*"
        }
    }

    "a context without the element has none" {
        on(dispatcher) { currentCoroutineContext()[Tracked] }.shouldBeNull()
    }
}
