package dev.latencyhiding.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.matchers.types.shouldBeSameInstanceAs
import kotlin.coroutines.Continuation
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.coroutines.intrinsics.COROUTINE_SUSPENDED
import kotlin.coroutines.intrinsics.intercepted
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn
import kotlin.coroutines.resume
import kotlin.coroutines.startCoroutine
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.CoroutineStart.UNDISPATCHED
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.selects.select
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield

/**
 * `hideLatency` is transparent: whatever the block does, its value, its exceptions, its
 * cancellation and its context are as without it, on every dispatcher. And it accounts for every
 * suspension it opens: a deque that waits for a node which went elsewhere would be lost.
 */
class LatencyEdgeSpec :
    FunSpec({
        val own = newScheduler()
        val dispatcher = own.asCoroutineDispatcher()
        afterSpec { own.close() }

        val contexts: Map<String, CoroutineContext> =
            mapOf(
                "LatencyHiding" to LatencyHiding,
                "an own scheduler" to dispatcher,
                "a view" to dispatcher.limitedParallelism(1),
                "Dispatchers.Default" to Dispatchers.Default,
                "Dispatchers.Unconfined" to Dispatchers.Unconfined,
            )

        for ((name, context) in contexts) {
            test("on $name: the value of a block that waits never, once, often") {
                detached(context) {
                    for (waits in listOf(0, 1, 10)) {
                        hideLatency {
                            repeat(waits) { foreignWait() }
                            waits
                        } shouldBe waits
                    }
                }
            }

            test("on $name: an exception thrown at once and after a wait") {
                detached(context) {
                    for (waits in listOf(0, 1)) {
                        val failure =
                            shouldThrow<IllegalStateException> {
                                hideLatency {
                                    repeat(waits) { foreignWait() }
                                    error("after $waits waits")
                                }
                            }
                        failure.message shouldBe "after $waits waits"
                    }
                }
            }

            test("on $name: cancelled while it waits") {
                detached(context) {
                    var seen: Throwable? = null
                    var cleanedUp = false
                    val job =
                        launch(start = UNDISPATCHED) {
                            seen =
                                runCatching {
                                    hideLatency {
                                        try {
                                            foreignWaitForEver()
                                        } finally {
                                            withContext(NonCancellable) { foreignWait() }
                                            cleanedUp = true
                                        }
                                    }
                                }
                                    .exceptionOrNull()
                        }
                    job.cancelAndJoin()
                    seen.shouldBeInstanceOf<CancellationException>()
                    cleanedUp shouldBe true
                }
            }

            test("on $name: nested, with waits at each level") {
                detached(context) {
                    hideLatency {
                        foreignWait()
                        val inner = hideLatency {
                            foreignWait()
                            hideLatency { foreignWait() } + 1
                        }
                        foreignWait() + inner
                    } shouldBe 3
                }
            }

            test("on $name: around scopes, time-outs, other contexts, select and yield") {
                detached(context) {
                    hideLatency { coroutineScope { foreignWait() } } shouldBe 1
                    hideLatency { withTimeout(DEADLINE) { foreignWait() } } shouldBe 1
                    hideLatency { withContext(CoroutineName("x")) { foreignWait() } } shouldBe 1
                    hideLatency { withContext(Dispatchers.IO) { foreignWait() } } shouldBe 1
                    hideLatency { withContext(NonCancellable) { foreignWait() } } shouldBe 1
                    hideLatency { yield() }
                    hideLatency {
                        val channel = Channel<Int>()
                        val sender = launch { channel.send(5) }
                        select { channel.onReceive { it } }.also { sender.join() }
                    } shouldBe 5
                    shouldThrow<TimeoutCancellationException> {
                        hideLatency { withTimeout(1.milliseconds) { foreignWaitForEver() } }
                    }
                }
            }

            test("on $name: the dispatcher and the job inside are those outside") {
                detached(context) {
                    val interceptor = currentCoroutineContext()[ContinuationInterceptor]
                    val job = currentCoroutineContext()[Job]
                    hideLatency {
                        foreignWait()
                        val inside = currentCoroutineContext()
                        inside[ContinuationInterceptor] shouldBeSameInstanceAs interceptor
                        inside[Job] shouldBeSameInstanceAs job
                    }
                    currentCoroutineContext()[LatencyEdge].shouldBeNull()
                }
            }
        }

        test("what is opened is what the block needs: one for each node inside") {
            val stats = onOwnScheduler { hideLatency { repeat(9) { foreignWait() } } }
            stats.suspensions() shouldBe 10
            stats.resumes() shouldBe 9
            stats.releases() shouldBe 1 // of the last node, which did not wait
        }

        test("a block that does not wait leaves the worker its deque") {
            val stats = onOwnScheduler { repeat(100) { i -> hideLatency { i } shouldBe i } }
            stats.suspensions() shouldBe 100
            stats.releases() shouldBe 100
            stats.wakeUps() shouldBe 0
        }

        test("on a view and on Unconfined nothing is opened") {
            val stats = onOwnScheduler { scheduler ->
                val view = scheduler.asCoroutineDispatcher().limitedParallelism(1)
                withContext(view) { hideLatency { foreignWait() } } shouldBe 1
                withContext(Dispatchers.Unconfined) { hideLatency { foreignWait() } } shouldBe 1
            }
            stats.suspensions() shouldBe 0
        }

        test("a wait on another dispatcher is one wake-up, at the end") {
            val stats = onOwnScheduler { scheduler ->
                hideLatency {
                    withContext(Dispatchers.IO) {
                        repeat(10) { foreignWait() }
                        waitUntil({ "the deque is given away" }) {
                            scheduler.stats().suspendedDeques() == 1L
                        }
                    }
                }
            }
            stats.resumes() shouldBe 1
        }

        test("a wait in a scope of the same coroutine is a wake-up, too") {
            val stats = onOwnScheduler {
                hideLatency { withTimeout(DEADLINE) { coroutineScope { foreignWait() } } }
            }
            stats.resumes() shouldBe 1
        }

        for (start in listOf(CoroutineStart.DEFAULT, UNDISPATCHED)) {
            test("children inherit the edge, but do not consume its suspension: start $start") {
                val children = 100
                val stats = onOwnScheduler { scheduler ->
                    hideLatency {
                        val gate = CompletableDeferred<Int>()
                        val inside = CoroutineScope(currentCoroutineContext())
                        val all =
                            List(children) {
                                inside.async(start = start) {
                                    currentCoroutineContext()[LatencyEdge].shouldNotBeNull()
                                    gate.await()
                                }
                            }
                        Dispatchers.IO.dispatch(EmptyCoroutineContext) {
                            waitUntil({ "the block waits" }) {
                                scheduler.stats().suspendedDeques() == 1L
                            }
                            gate.complete(1)
                        }
                        all.awaitAll().sum() shouldBe children
                    }
                }
                stats.resumes() shouldBe 1 // of the block, which waited for all of them
            }
        }

        test("a child that outlives the block is not disturbed by its end") {
            onOwnScheduler {
                val gate = CompletableDeferred<Int>()
                val child = hideLatency {
                    CoroutineScope(currentCoroutineContext()).async { gate.await() + foreignWait() }
                }
                gate.complete(1)
                child.await() shouldBe 2
            }
        }

        test("two coroutines with one job and one edge: each goes on once") {
            onOwnScheduler {
                repeat(100) {
                    hideLatency {
                        val other = CompletableDeferred<Int>()
                        suspend { foreignWait() }
                            .startCoroutine(
                                Continuation(currentCoroutineContext()) { result ->
                                    other.complete(result.getOrThrow())
                                }
                            )
                        foreignWait() + other.await()
                    } shouldBe 2
                }
            }
        }

        test("the exception of a wait inside has the frames of the caller") {
            onOwnScheduler {
                val promise = CompletableDeferred<Int>()
                val failure = async(start = UNDISPATCHED) { failureOfHidden(promise) }
                completeFromOutside { promise.completeExceptionally(IllegalStateException("no")) }
                val frames = failure.await().stackTrace.map { it.methodName }
                frames shouldContain "failureOfHidden"
            }
        }

        test("delay, touch and blocking inside a block are hidden once") {
            val stats = onOwnScheduler {
                hideLatency {
                    delay(50.milliseconds)
                    val value = CompletableDeferred<Int>()
                    launch(Dispatchers.IO) { value.complete(1) }
                    value.touch() + blocking { 1 }
                } shouldBe 2
            }
            stats.resumes() shouldBeGreaterThan 0L // the others may be over before they suspend
        }
    })

/**
 * A wait for a library that knows nothing of latency hiding. It always suspends, where
 * `suspendCancellableCoroutine` would not if the other thread is fast.
 */
internal suspend fun foreignWait(): Int = suspendCoroutineUninterceptedOrReturn { continuation ->
    val waiting = continuation.intercepted()
    Dispatchers.IO.dispatch(EmptyCoroutineContext) { waiting.resume(1) }
    COROUTINE_SUSPENDED
}

internal suspend fun foreignWaitForEver(): Unit = suspendCancellableCoroutine {}

private suspend fun failureOfHidden(promise: CompletableDeferred<Int>): Throwable {
    val failure = shouldThrow<IllegalStateException> { hideLatency { promise.await() } }
    return failure
}
