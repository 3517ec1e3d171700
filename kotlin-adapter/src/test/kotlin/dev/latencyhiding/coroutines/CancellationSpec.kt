package dev.latencyhiding.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.StringSpec
import io.kotest.core.spec.style.stringSpec
import io.kotest.matchers.comparables.shouldBeGreaterThanOrEqualTo
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.TimeSource
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.consumeEach
import kotlinx.coroutines.delay
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.MutableSharedFlow
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.future.await
import kotlinx.coroutines.isActive
import kotlinx.coroutines.launch
import kotlinx.coroutines.selects.onTimeout
import kotlinx.coroutines.selects.select
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.Semaphore
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield

/**
 * A coroutine that waits must notice its cancellation wherever it waits, get the exception with its
 * message, run its `finally` and nothing after the wait; and what it waited for must not be lost.
 */
class CancellationSpec : StringSpec({ onEachDispatcher(::cancellation) })

/** One of every kind of wait that never ends by itself. */
@OptIn(ExperimentalCoroutinesApi::class)
private val endlessWaits: Map<String, suspend () -> Unit> =
    mapOf(
        "delay" to { delay(1.hours) },
        "awaitCancellation" to { awaitCancellation() },
        "suspendCancellableCoroutine" to { suspendCancellableCoroutine<Unit> {} },
        "receive" to { Channel<Unit>().receive() },
        "receiveCatching" to { Channel<Unit>().receiveCatching().getOrThrow() },
        "iteration" to { Channel<Unit>().consumeEach {} },
        "send to a rendezvous channel" to { Channel<Unit>().send(Unit) },
        "send to a full channel" to
            {
                val full = Channel<Int>(1)
                full.send(1)
                full.send(2)
            },
        "Mutex" to { Mutex(locked = true).lock() },
        "Semaphore" to { Semaphore(1, 1).acquire() },
        "await" to { CompletableDeferred<Unit>().await() },
        "touch" to { CompletableDeferred<Unit>().touch() },
        "join" to { Job().join() },
        "await of a stage" to { CompletableFuture<Unit>().await() },
        "touch of a stage" to { CompletableFuture<Unit>().touch() },
        "hideLatency" to { hideLatency { awaitCancellation() } },
        "select" to
            {
                select {
                    CompletableDeferred<Unit>().onAwait {}
                    Channel<Unit>().onReceive {}
                    Job().onJoin {}
                    onTimeout(1.hours) {}
                }
            },
        "withTimeout" to { withTimeout(1.hours) { awaitCancellation() } },
        "SharedFlow" to { MutableSharedFlow<Unit>().collect {} },
        "StateFlow" to { MutableStateFlow(1).first { it == 2 } },
    )

private fun cancellation(dispatcher: CoroutineDispatcher): TestFactory = stringSpec {
    endlessWaits.forEach { (name, wait) ->
        "$name ends by cancellation while it waits" {
            on(dispatcher) {
                val end = CompletableDeferred<Throwable>()
                val waiting =
                    launch(start = CoroutineStart.UNDISPATCHED) {
                        try {
                            wait()
                            end.complete(AssertionError("it went on"))
                        } catch (e: CancellationException) {
                            end.complete(e)
                            throw e
                        }
                    }
                end.isCompleted shouldBe false
                waiting.cancel(CancellationException("enough"))
                waiting.join()
                withClue(name) {
                    end.await().shouldBeInstanceOf<CancellationException>().message shouldBe
                        "enough"
                }
                waiting.isCancelled shouldBe true
            }
        }

        "$name does not begin in a coroutine that is cancelled already" {
            on(dispatcher) {
                val end = CompletableDeferred<Throwable?>()
                launch {
                    coroutineContext[Job]!!.cancel(CancellationException("before"))
                    end.complete(runCatching { wait() }.exceptionOrNull())
                }
                    .join()
                withClue(name) { end.await().shouldBeInstanceOf<CancellationException>() }
            }
        }

        "$name: cancelled at any moment by another coroutine, finally runs once" {
            val cleaned = AtomicInteger()
            val started = AtomicInteger()
            on(dispatcher) {
                repeat(100) {
                    val waiting = launch {
                        started.incrementAndGet()
                        try {
                            wait()
                        } finally {
                            cleaned.incrementAndGet()
                        }
                    }
                    launch { waiting.cancelAndJoin() }
                }
            }
            cleaned.get() shouldBe started.get()
        }
    }

    "yield and ensureActive notice cancellation in a loop" {
        listOf<suspend CoroutineScope.() -> Unit>({ yield() }, { ensureActive() }, { checkpoint() })
            .forEach { step ->
                on(dispatcher) {
                    val running = CountDownLatch(1)
                    val loop = launch {
                        while (true) {
                            running.countDown()
                            step()
                        }
                    }
                    withContext(Dispatchers.IO) { running.await() }
                    loop.cancelAndJoin()
                    loop.isCancelled shouldBe true
                }
            }
    }

    "isActive becomes false in a loop that never waits" {
        on(dispatcher) {
            val running = CompletableDeferred<Unit>()
            val loop = launch {
                running.complete(Unit)
                while (isActive) Thread.onSpinWait()
            }
            running.await()
            loop.cancelAndJoin()
        }
    }

    "NonCancellable waits to the end" {
        on(dispatcher) {
            val steps = Channel<String>(Channel.UNLIMITED)
            val job =
                launch(start = CoroutineStart.UNDISPATCHED) {
                    try {
                        awaitCancellation()
                    } finally {
                        withContext(NonCancellable) {
                            delay(5)
                            yield()
                            steps.send("cleaned")
                        }
                        steps.send("not cancelled after all?")
                    }
                }
            job.cancelAndJoin()
            steps.tryReceive().getOrNull() shouldBe "cleaned"
        }
    }

    "withTimeout throws after its time, not before, and runs finally" {
        on(dispatcher) {
            val start = TimeSource.Monotonic.markNow()
            var cleaned = false
            shouldThrow<TimeoutCancellationException> {
                withTimeout(20.milliseconds) {
                    try {
                        awaitCancellation()
                    } finally {
                        cleaned = true
                    }
                }
            }
            start.elapsedNow() shouldBeGreaterThanOrEqualTo 20.milliseconds
            cleaned shouldBe true
            isActive shouldBe true
        }
    }

    "withTimeout stops a loop that only looks" {
        on(dispatcher) {
            withTimeoutOrNull(10.milliseconds) { while (true) ensureActive() }.shouldBeNull()
            withTimeoutOrNull(10.milliseconds) { while (true) yield() }.shouldBeNull()
        }
    }

    "the inner of two timeouts is told from the outer one" {
        on(dispatcher) {
            withTimeout(1.hours) { withTimeoutOrNull(5.milliseconds) { awaitCancellation() } }
                .shouldBeNull()
            withTimeoutOrNull(5.milliseconds) { withTimeout(1.hours) { awaitCancellation() } }
                .shouldBeNull()
            withTimeoutOrNull(1.hours) { 42 } shouldBe 42
            withTimeoutOrNull(0.milliseconds) { 42 }.shouldBeNull()
        }
    }

    "a result and a timeout at the same moment: one of them, and nothing hangs" {
        on(dispatcher) {
            val outcomes =
                List(300) {
                    async {
                        withTimeoutOrNull(2.milliseconds) {
                            delay(2)
                            it
                        }
                    }
                }
            outcomes.forEachIndexed { i, it -> (it.await() ?: i) shouldBe i }
        }
    }

    "a permit is not lost when the one who waits for it is cancelled" {
        on(dispatcher) {
            val semaphore = Semaphore(1)
            repeat(500) {
                semaphore.acquire()
                val waiting = launch {
                    semaphore.acquire()
                    semaphore.release()
                }
                launch { waiting.cancel() }
                semaphore.release()
                waiting.join()
                semaphore.acquire()
                semaphore.release()
            }
            semaphore.availablePermits shouldBe 1
        }
    }

    "an element sent to one who is cancelled is received by another, or undelivered" {
        val undelivered = AtomicInteger()
        val received = AtomicInteger()
        on(dispatcher) {
            val channel = Channel<Int>(onUndeliveredElement = { undelivered.incrementAndGet() })
            val sender = launch { repeat(200) { channel.send(it) } }
            while (sender.isActive) {
                val receiver = launch {
                    channel.receive()
                    received.incrementAndGet()
                }
                launch { receiver.cancel() }
                receiver.join()
            }
        }
        undelivered.get() + received.get() shouldBe 200
    }
}
