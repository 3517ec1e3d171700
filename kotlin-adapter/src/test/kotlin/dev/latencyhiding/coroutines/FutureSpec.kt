package dev.latencyhiding.coroutines

import dev.latencyhiding.LatencyHidingFuture
import dev.latencyhiding.LatencyHidingScheduler
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.StringSpec
import io.kotest.matchers.booleans.shouldBeTrue
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldStartWith
import io.kotest.matchers.types.shouldBeSameInstanceAs
import java.io.IOException
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.delay
import kotlinx.coroutines.future.await
import kotlinx.coroutines.job
import kotlinx.coroutines.joinAll

/** Coroutines as futures, and futures in coroutines. */
class FutureSpec :
    StringSpec({
        "a future belongs to the scheduler of its coroutine" {
            onOwnScheduler { scheduler ->
                val dispatcher = scheduler.asCoroutineDispatcher()
                val future =
                    CoroutineScope(dispatcher).future {
                        delay(1)
                        Thread.currentThread().name
                    }
                future.defaultExecutor() shouldBeSameInstanceAs scheduler
                future.touch() shouldStartWith scheduler.name()
            }
        }

        "without a dispatcher a coroutine runs on LatencyHiding" {
            val future = CoroutineScope(Job()).future { Thread.currentThread().name }
            future.await() shouldStartWith "LatencyHiding-"
        }

        "on a foreign dispatcher the coroutine stays there and the stages are ours" {
            val scope = CoroutineScope(Dispatchers.Default)
            val future = scope.future { Thread.currentThread().name }
            future.await() shouldStartWith "DefaultDispatcher-"
            future.defaultExecutor() shouldBeSameInstanceAs LatencyHidingScheduler.shared()
        }

        "cancelling the scope cancels the future" {
            val scope = CoroutineScope(LatencyHiding + Job())
            val future = scope.future<Unit> { awaitCancellation() }
            scope.cancel()
            shouldThrow<java.util.concurrent.CancellationException> {
                future.get(60, TimeUnit.SECONDS)
            }
            future.isCancelled.shouldBeTrue()
        }

        "an exception of the coroutine is the future's and cancels the scope" {
            val scope = CoroutineScope(LatencyHiding + Job())
            val future = scope.future<Unit> { throw IOException("reset") }
            shouldThrow<ExecutionException> { future.get(60, TimeUnit.SECONDS) }
                .cause!!
                .message shouldBe "reset"
            scope.coroutineContext.job.join()
            scope.coroutineContext.job.isCancelled.shouldBeTrue()
        }

        "completing the future from outside cancels the coroutine" {
            val begun = CompletableDeferred<Unit>()
            val ended = CompletableDeferred<Unit>()
            val scope = CoroutineScope(LatencyHiding + SupervisorJob())
            val future = scope.future {
                try {
                    begun.complete(Unit)
                    awaitCancellation()
                } finally {
                    ended.complete(Unit)
                }
            }
            begun.await() // a coroutine cancelled before it begins never reaches its finally
            future.complete(null)
            ended.await()
            scope.coroutineContext.job.children.toList().joinAll()
        }

        "a lazy start is refused" {
            shouldThrow<IllegalArgumentException> {
                CoroutineScope(LatencyHiding).future(start = CoroutineStart.LAZY) {}
            }
        }

        "touch brings a coroutine back from an operation started in it" {
            val stats = onOwnScheduler { scheduler ->
                val future = LatencyHidingFuture.open<Int>()
                scheduler.after(1, TimeUnit.MILLISECONDS) { future.complete(42) }
                future.touch() shouldBe 42
            }
            stats.openSuspensions() shouldBe 0
        }

        "many operations, touched in many coroutines, all come back" {
            onOwnScheduler { scheduler ->
                val futures =
                    List(scaled(1_000, 100_000)) { number ->
                        future {
                            scheduler.delay(number % 5L, TimeUnit.MILLISECONDS).touch()
                            number
                        }
                    }
                futures.forEachIndexed { number, future -> future.touch() shouldBe number }
            }
        }
    })
