package dev.latencyhiding.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import java.lang.ref.WeakReference
import java.util.concurrent.CompletableFuture
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart.UNDISPATCHED
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch

/**
 * `touch` is `await`, declared as latency: the same values, the same exceptions with the same
 * recovered stack traces, the same cancellation, on every dispatcher. Whoever replaces one by the
 * other must see no difference but where the coroutine goes on.
 */
class TouchSpec :
    FunSpec({
        val own = newScheduler()
        afterSpec { own.close() }

        for ((name, context) in dispatchersAround(own)) {
            for (kind in Kind.entries) {
                test("$kind on $name: the value, early and late") {
                    detached(context) {
                        val early = kind.newPromise()
                        early.complete(1)
                        early.touch() shouldBe 1

                        val late = kind.newPromise()
                        val toucher = async(start = UNDISPATCHED) { late.touch() }
                        toucher.isCompleted shouldBe false
                        completeFromOutside { late.complete(2) }
                        toucher.await() shouldBe 2
                    }
                }

                test("$kind on $name: the exception, with the frames that await recovers") {
                    detached(context) {
                        for (isLate in listOf(false, true)) {
                            val byTouch = failureSeen(kind.newPromise(), isLate) { it.touch() }
                            val byAwait = failureSeen(kind.newPromise(), isLate) { it.await() }
                            withClue("late: $isLate") {
                                byTouch.message shouldBe "no"
                                framesOfTheCaller(byTouch) shouldBe framesOfTheCaller(byAwait)
                            }
                        }
                    }
                }

                test("$kind on $name: cancelling who touches") {
                    detached(context) {
                        val promise = kind.newPromise()
                        var seen: Throwable? = null
                        val toucher =
                            launch(start = UNDISPATCHED) {
                                seen = runCatching { promise.touch() }.exceptionOrNull()
                            }
                        toucher.cancelAndJoin()
                        (seen is CancellationException) shouldBe true
                        promise.isCancelled() shouldBe kind.cancelledByItsAwaiter
                    }
                }
            }

            test(
                "a cancelled Deferred on $name: CancellationException, and nobody else is cancelled"
            ) {
                detached(context) {
                    val cancelled = CompletableDeferred<Int>()
                    val toucher =
                        async(start = UNDISPATCHED) {
                            shouldThrow<CancellationException> { cancelled.touch() }
                        }
                    completeFromOutside { cancelled.cancel(CancellationException("enough")) }
                    toucher.await().message shouldBe "enough"
                }
            }
        }

        test("many may touch one Deferred, and each comes back to its own deque") {
            val touchers = 1_000
            val stats = onOwnScheduler {
                val value = CompletableDeferred<Int>()
                val all = List(touchers) { async { value.touch() } }
                spinUntil("all wait") { it.stats().openSuspensions() == touchers.toLong() }
                completeFromOutside { value.complete(7) }
                all.sumOf { toucher -> toucher.await() } shouldBe 7 * touchers
            }
            stats.resumes() shouldBe touchers
        }

        test("a value that is there already opens no suspension") {
            val stats = onOwnScheduler {
                CompletableDeferred(1).touch() shouldBe 1
                CompletableFuture.completedFuture(1).touch() shouldBe 1
            }
            stats.suspensions() shouldBe 0
        }

        test(
            "an Unconfined coroutine on a worker goes on where it is resumed, and frees the deque"
        ) {
            val stats = onOwnScheduler {
                val value = CompletableDeferred<Int>()
                val thread =
                    async(Dispatchers.Unconfined) {
                        value.touch()
                        Thread.currentThread()
                    }
                val completer = completeFromOutside { value.complete(1) }
                thread.await() shouldBeSameInstanceAs completer
            }
            stats.releases() shouldBe 1
            stats.resumes() shouldBe 0
        }

        test("a touch that was cancelled leaves nothing behind in the Deferred") {
            onOwnScheduler {
                val never = CompletableDeferred<Int>()
                val touchers = List(CANCELLED_TOUCHES) { cancelledToucher(never) }
                // A few may still be in slots of a deque that have not been used again.
                waitUntil({ "the touchers are collected" }) {
                    System.gc()
                    touchers.count { it.get() != null } <= CANCELLED_TOUCHES / 5
                }
                never.cancel()
            }
        }
    })

private const val CANCELLED_TOUCHES = 1_000

/** A thing to touch that a test completes. */
private class Promise(
    val touch: suspend () -> Int,
    val await: suspend () -> Int,
    val complete: (Int) -> Unit,
    val fail: (Throwable) -> Unit,
    val isCancelled: () -> Boolean,
)

private enum class Kind(val cancelledByItsAwaiter: Boolean, val newPromise: () -> Promise) {
    DEFERRED(
        false,
        {
            with(CompletableDeferred<Int>()) {
                Promise(
                    { touch() },
                    { await() },
                    { complete(it) },
                    { completeExceptionally(it) },
                    { isCancelled },
                )
            }
        },
    ),
    STAGE(
        true,
        {
            with(CompletableFuture<Int>()) {
                Promise(
                    { touch() },
                    { await() },
                    { complete(it) },
                    { completeExceptionally(it) },
                    { isCancelled },
                )
            }
        },
    ),
}

private suspend fun CoroutineScope.failureSeen(
    promise: Promise,
    isLate: Boolean,
    wait: suspend (Promise) -> Int,
): Throwable {
    if (!isLate) promise.fail(IllegalStateException("no"))
    val failure = async(start = UNDISPATCHED) { failureOf(promise, wait) }
    if (isLate) completeFromOutside { promise.fail(IllegalStateException("no")) }
    return failure.await()
}

/** No tail call: its frame is what the recovery of stack traces brings back. */
private suspend fun failureOf(promise: Promise, wait: suspend (Promise) -> Int): Throwable {
    val failure = shouldThrow<IllegalStateException> { wait(promise) }
    return failure
}

private fun framesOfTheCaller(failure: Throwable): Int =
    failure.stackTrace.count { it.methodName == "failureOf" }

private suspend fun CoroutineScope.cancelledToucher(never: Deferred<Int>): WeakReference<Job> {
    val toucher = launch(start = UNDISPATCHED) { never.touch() }
    toucher.cancelAndJoin()
    return WeakReference(toucher)
}

/** As a driver's callback does: on a thread that nobody knows. Returns when it is done. */
internal fun completeFromOutside(completion: () -> Unit): Thread =
    Thread(completion, "outside").apply {
        isDaemon = true
        start()
        spinUntil("the completion ends") { !isAlive }
    }
