package dev.latencyhiding.coroutines

import dev.latencyhiding.LatencyHidingScheduler
import dev.latencyhiding.Suspension
import java.util.concurrent.CompletionException
import java.util.concurrent.CompletionStage
import java.util.concurrent.atomic.AtomicReference
import java.util.function.BiConsumer
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.coroutineContext
import kotlin.coroutines.intrinsics.COROUTINE_SUSPENDED
import kotlin.coroutines.intrinsics.startCoroutineUninterceptedOrReturn
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.future.await
import kotlinx.coroutines.runInterruptible
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.yield

/**
 * Awaits the value as [await][Deferred.await] does, and declares the wait as latency: the worker
 * gives its deque away meanwhile and steals elsewhere, and the coroutine comes back to that deque.
 * Use it for values that come from outside, `await` for those that are computed on the same
 * scheduler.
 *
 * This suspending function is cancellable: if the job of the current coroutine is cancelled while
 * it is suspended, it throws [kotlinx.coroutines.CancellationException]; the deferred value is not
 * cancelled. On other dispatchers it is the same as `await`.
 */
public suspend fun <T> Deferred<T>.touch(): T {
    if (!isCompleted) {
        val suspension = Suspension.openOnWorker()
        if (suspension != null) {
            suspendCancellableCoroutine { continuation ->
                val completion = invokeOnCompletion {
                    suspension.resumeBy { continuation.resume(Unit) }
                }
                continuation.invokeOnCancellation {
                    completion.dispose()
                    suspension.release()
                }
            }
        }
    }
    return await() // which recovers the stack trace of an exception
}

/**
 * Awaits the stage as `CompletionStage.await` does, and declares the wait as latency, as
 * [Deferred.touch] does.
 *
 * This suspending function is cancellable: if the job of the current coroutine is cancelled while
 * it is suspended, it throws [kotlinx.coroutines.CancellationException] and cancels the stage's
 * future.
 */
public suspend fun <T> CompletionStage<T>.touch(): T {
    val future = toCompletableFuture()
    val suspension = (if (future.isDone) null else Suspension.openOnWorker()) ?: return await()
    return suspendCancellableCoroutine { continuation ->
        val completion = StageCompletion(continuation, suspension)
        whenComplete(completion)
        continuation.invokeOnCancellation {
            completion.forget()
            future.cancel(false)
            suspension.release()
        }
    }
}

/** Resumes with the outcome itself: so the machinery adds the caller's frames to an exception. */
private class StageCompletion<T>(
    continuation: CancellableContinuation<T>,
    private val suspension: Suspension,
) : BiConsumer<T?, Throwable?> {
    private val waiting = AtomicReference<CancellableContinuation<T>?>(continuation)

    override fun accept(value: T?, error: Throwable?) {
        val continuation = waiting.getAndSet(null) ?: return
        suspension.resumeBy {
            @Suppress("UNCHECKED_CAST") // without an error it is the value
            if (error == null) continuation.resume(value as T)
            else continuation.resumeWithException((error as? CompletionException)?.cause ?: error)
        }
    }

    /**
     * Some stages are not completed by cancelling their future, and would keep the coroutine alive.
     */
    fun forget() {
        waiting.set(null)
    }
}

/**
 * Runs [block] and declares every wait inside it as latency, whatever library it waits for: the
 * worker gives its deque away while the coroutine is suspended, and the coroutine comes back to
 * that deque.
 *
 * ```
 * val row = hideLatency { database.query("select …") }
 * ```
 *
 * The block runs in the same coroutine, on the same dispatcher. Cancellation, exceptions and
 * context are those of the block. Coroutines started inside are not affected. On other dispatchers,
 * and on views with limited parallelism, the block is just run.
 */
public suspend fun <T> hideLatency(block: suspend () -> T): T {
    if (coroutineContext[ContinuationInterceptor] !is LatencyHidingDispatcher) return block()
    return suspendCoroutineUninterceptedOrReturn { caller ->
        val edge = LatencyEdge.enter(caller.context)
        edge.open()
        var waits = false
        try {
            val result = block.startCoroutineUninterceptedOrReturn(EdgeContinuation(caller, edge))
            waits = result === COROUTINE_SUSPENDED
            result
        } finally {
            if (!waits) edge.close()
        }
    }
}

/**
 * Runs code that blocks its thread, such as JDBC or legacy I/O, away from the workers: on a virtual
 * thread where the JDK has them, else on a thread of a bounded pool. The coroutine comes back to
 * the deque it left.
 *
 * This suspending function is cancellable: on cancellation the thread is interrupted, and when
 * [block] has ended [kotlinx.coroutines.CancellationException] is thrown. Thread-local context
 * elements are those of the coroutine.
 */
public suspend fun <T> blocking(block: () -> T): T = hideLatency {
    runInterruptible(BlockingDispatcher, block)
}

/**
 * For loops that compute: lets others run if somebody waits, and returns at once if nobody does. It
 * is cheap in that case, so that it can be called often.
 *
 * ```
 * for (row in matrix) {
 *     multiply(row)
 *     checkpoint()
 * }
 * ```
 *
 * It suspends if a resumed coroutine waits for a worker, or if this one has computed for more than
 * a millisecond and others wait. This suspending function is cancellable: it throws
 * [kotlinx.coroutines.CancellationException] if the job of the current coroutine is cancelled. On
 * other dispatchers it checks for cancellation only.
 */
public suspend fun checkpoint() {
    coroutineContext.ensureActive()
    if (LatencyHidingScheduler.othersWait()) yield()
}
