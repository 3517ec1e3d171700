package dev.latencyhiding.coroutines

import dev.latencyhiding.LatencyHidingScheduler
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.StringSpec
import io.kotest.core.spec.style.stringSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldStartWith
import io.kotest.matchers.types.shouldBeInstanceOf
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExecutorCoroutineDispatcher
import kotlinx.coroutines.InternalCoroutinesApi
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.asCoroutineDispatcher as asOrdinaryDispatcher
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.delay
import kotlinx.coroutines.isActive
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield

/**
 * A dispatcher that is closed drops nothing silently: coroutines are cancelled with a telling cause
 * and finish on `Dispatchers.IO`. The same holds for the executors of the coroutine library, which
 * are the reference.
 */
class RejectionSpec :
    StringSpec({
        include("LatencyHiding:", rejection { name -> ownDispatcher(name).second })
        include("fixed thread pool:", rejection(::fixedThreadPool))

        "closing is idempotent, and a closed scheduler ends its threads" {
            val (scheduler, dispatcher) = ownDispatcher("idempotent")
            on(dispatcher) { delay(1) }
            repeat(3) { dispatcher.close() }
            scheduler.awaitTermination(30, TimeUnit.SECONDS) shouldBe true
            dispatcher.close()
            threadsOf("idempotent").shouldBeEmpty()
        }

        // A fixed thread pool leaves this to a global timer, which would take the hour.
        "closing alone ends those who wait for time" {
            val (scheduler, dispatcher) = ownDispatcher("asleep")
            val cleaned = CountDownLatch(1000)
            val begun = CountDownLatch(1000)
            val scope = CoroutineScope(dispatcher + SupervisorJob())
            val jobs =
                List(1000) {
                    scope.launch {
                        try {
                            begun.countDown()
                            if (it % 2 == 0) delay(1.hours)
                            else withTimeout(1.hours) { delay(2.hours) }
                        } finally {
                            cleaned.countDown()
                        }
                    }
                }
            begun.await(30, TimeUnit.SECONDS) shouldBe true
            dispatcher.close()
            runBlocking { withTimeout(30.seconds) { jobs.joinAll() } }
            cleaned.count shouldBe 0
            jobs.count { it.isCancelled } shouldBe 1000
            scheduler.awaitTermination(30, TimeUnit.SECONDS) shouldBe true
            threadsOf("asleep").shouldBeEmpty()
        }

        // Ask 20 of users.
        "closing with 1000 coroutines that wait: all end, every finally runs, no thread is left" {
            val (scheduler, dispatcher) = ownDispatcher("crowded")
            val gate = CompletableDeferred<Unit>()
            val stage = CompletableFuture<Unit>()
            val channel = Channel<Unit>()
            val waits =
                listOf<suspend () -> Unit>(
                    { delay(1.hours) },
                    { channel.receive() },
                    { gate.touch() },
                    { stage.touch() },
                    { hideLatency { channel.receive() } },
                    { withTimeout(1.hours) { gate.await() } },
                    { gate.await() },
                    { withContext(Dispatchers.IO) { gate.await() } },
                )
            val begun = CountDownLatch(1000)
            val cleaned = AtomicInteger()
            val scope = CoroutineScope(dispatcher + SupervisorJob())
            val jobs =
                List(1000) {
                    scope.launch {
                        try {
                            begun.countDown()
                            waits[it % waits.size]()
                        } finally {
                            cleaned.incrementAndGet()
                        }
                    }
                }
            begun.await(30, TimeUnit.SECONDS) shouldBe true
            dispatcher.close()
            scheduler.awaitTermination(30, TimeUnit.SECONDS) shouldBe true
            threadsOf("crowded").shouldBeEmpty()
            // Now what they wait for comes, too late.
            gate.complete(Unit)
            stage.complete(Unit)
            channel.cancel()
            runBlocking { withTimeout(30.seconds) { jobs.joinAll() } }
            cleaned.get() shouldBe 1000
        }

        "closing while coroutines come and go loses none of them" {
            repeat(times(20)) { round ->
                val (scheduler, dispatcher) = ownDispatcher("busy-$round")
                val ended = CountDownLatch(200)
                val jobs =
                    runBlocking(Dispatchers.Default) {
                        val scope = CoroutineScope(dispatcher + SupervisorJob())
                        val closing = launch { dispatcher.close() }
                        val jobs =
                            List(200) {
                                val job = scope.launch {
                                    repeat(3) {
                                        yield()
                                        delay(it.toLong())
                                    }
                                }
                                job.invokeOnCompletion { ended.countDown() }
                                job
                            }
                        closing.join()
                        jobs
                    }
                runBlocking { withTimeout(30.seconds) { jobs.joinAll() } }
                ended.await(30, TimeUnit.SECONDS) shouldBe true
                scheduler.awaitTermination(30, TimeUnit.SECONDS) shouldBe true
            }
        }
    })

private fun rejection(make: (String) -> ExecutorCoroutineDispatcher): TestFactory = stringSpec {
    "a coroutine launched after close is cancelled, with the reason" {
        val dispatcher = make("late")
        dispatcher.close()
        runBlocking {
            val scope = CoroutineScope(dispatcher + Job())
            var ran = false
            val job = scope.launch { ran = true }
            withTimeout(30.seconds) { job.join() }
            ran shouldBe false
            job.isCancelled shouldBe true
            @OptIn(InternalCoroutinesApi::class) val cause = job.getCancellationException()
            cause.message shouldBe "The task was rejected"
            cause.cause.shouldBeInstanceOf<RejectedExecutionException>()
            scope.isActive shouldBe true // its parent is not concerned
        }
    }

    "a worker can close its own dispatcher, and goes on to its next suspension" {
        val dispatcher = make("by-worker")
        val steps = ConcurrentLinkedQueue<String>()
        val scope = CoroutineScope(dispatcher + SupervisorJob())
        val job = scope.launch {
            dispatcher.close()
            dispatcher.close()
            steps.add("closed")
            val child = scope.launch { steps.add("a child that started") }
            steps.add("child cancelled: ${child.isCancelled}")
            yield()
            steps.add("it went on")
        }
        runBlocking { withTimeout(30.seconds) { job.join() } }
        job.isCancelled shouldBe true
        steps.toList() shouldContainExactly listOf("closed", "child cancelled: true")
        awaitTermination(dispatcher)
    }

    "withContext of a closed dispatcher throws, and the caller goes on" {
        val dispatcher = make("switch")
        dispatcher.close()
        on(Dispatchers.Default) {
            shouldThrow<CancellationException> { withContext(dispatcher) {} }.message shouldBe
                "The task was rejected"
            isActive shouldBe true
        }
    }

    "a coroutine that is resumed after close is cancelled, and finishes elsewhere" {
        val dispatcher = make("resumed")
        val waiting = CountDownLatch(1)
        val gate = CompletableDeferred<Unit>()
        val end = CompletableFuture<Pair<Throwable, String>>()
        val job =
            CoroutineScope(dispatcher).launch {
                waiting.countDown()
                try {
                    gate.await()
                    end.completeExceptionally(AssertionError("it went on"))
                } catch (e: CancellationException) {
                    end.complete(e to Thread.currentThread().name)
                    throw e
                }
            }
        waiting.await()
        dispatcher.close()
        awaitTermination(dispatcher)
        gate.complete(Unit)
        val (exception, thread) = end.get(30, TimeUnit.SECONDS)
        exception.message shouldBe "The task was rejected"
        generateSequence(exception) { it.cause }
            .last()
            .shouldBeInstanceOf<RejectedExecutionException>()
        thread shouldStartWith "DefaultDispatcher-worker-"
        runBlocking { withTimeout(30.seconds) { job.join() } }
        job.isCancelled shouldBe true
    }

    "a finally that must wait after close is cancelled too, and ends" {
        val dispatcher = make("stubborn")
        val waiting = CountDownLatch(1)
        val gate = CompletableDeferred<Unit>()
        val steps = ConcurrentLinkedQueue<String>()
        val job =
            CoroutineScope(dispatcher).launch {
                waiting.countDown()
                try {
                    gate.await()
                } finally {
                    steps.add("cleaning")
                    try {
                        withContext(NonCancellable) { yield() }
                        steps.add("it went on")
                    } finally {
                        steps.add("cleaned")
                    }
                }
            }
        waiting.await()
        dispatcher.close()
        awaitTermination(dispatcher)
        gate.complete(Unit)
        runBlocking { withTimeout(30.seconds) { job.join() } }
        steps.toList() shouldContainExactly listOf("cleaning", "cleaned")
    }

    "a timeout that was set before close keeps its time" {
        val dispatcher = make("timeout")
        val started = CompletableDeferred<Unit>()
        val goOn = CompletableDeferred<Unit>()
        val finished = CompletableDeferred<Throwable?>()
        CoroutineScope(dispatcher + SupervisorJob()).launch {
            withTimeout(1.hours) {
                withContext(Dispatchers.IO) {
                    started.complete(Unit)
                    finished.complete(runCatching { goOn.await() }.exceptionOrNull())
                }
            }
        }
        started.await()
        dispatcher.close()
        (dispatcher.executor as ExecutorService).awaitTermination(30, TimeUnit.SECONDS) shouldBe
            true
        threadsOf("timeout").shouldBeEmpty() // the timer's, too
        goOn.complete(Unit)
        finished.await() shouldBe null
    }

    "dispatch never throws" {
        val dispatcher = make("silent")
        dispatcher.close()
        val ran = CountDownLatch(3)
        dispatcher.dispatch(EmptyCoroutineContext) { ran.countDown() }
        @OptIn(InternalCoroutinesApi::class)
        dispatcher.dispatchYield(EmptyCoroutineContext) { ran.countDown() }
        dispatcher.limitedParallelism(1).dispatch(EmptyCoroutineContext) { ran.countDown() }
        ran.await(30, TimeUnit.SECONDS) shouldBe true
    }
}

private fun fixedThreadPool(name: String): ExecutorCoroutineDispatcher =
    Executors.newFixedThreadPool(2) { Thread(it, "$name-thread").apply { isDaemon = true } }
        .asOrdinaryDispatcher()

private fun awaitTermination(dispatcher: ExecutorCoroutineDispatcher) {
    (dispatcher.executor as ExecutorService).awaitTermination(30, TimeUnit.SECONDS) shouldBe true
}

private fun ownDispatcher(name: String): Pair<LatencyHidingScheduler, ExecutorCoroutineDispatcher> {
    val scheduler = LatencyHidingScheduler.builder().name(name).parallelism(2).build()
    return scheduler to scheduler.asCoroutineDispatcher()
}

/** The threads of a scheduler that live. The timer may need a moment to end. */
private fun threadsOf(name: String): List<String> {
    fun living() = Thread.getAllStackTraces().keys.filter { it.name.startsWith("$name-") }
    living().forEach { it.join(10_000) }
    return living().map { it.name }
}
