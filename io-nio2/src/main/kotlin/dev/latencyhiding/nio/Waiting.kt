package dev.latencyhiding.nio

import dev.latencyhiding.Suspension
import dev.latencyhiding.coroutines.LatencyHidingDispatcher
import dev.latencyhiding.coroutines.checkpoint
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.coroutineContext
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.yield

/**
 * Waits for the end of the operation, as latency: the worker gives its deque away meanwhile, and
 * the coroutine comes back to it. Returns at once if the operation was done at once.
 *
 * Cancelling ends the wait, not the operation. [onCancellation] is called then, on whatever thread
 * cancels.
 */
internal suspend fun Operation<*>.await(onCancellation: (() -> Unit)? = null) {
    if (isDone) return
    ReadyStreak.end()
    suspendCancellableCoroutine { continuation ->
        val waiter = Waiter(this, continuation, Suspension.openOnWorker(), onCancellation)
        if (tryWait(waiter)) continuation.invokeOnCancellation(waiter) else waiter.noNeed()
    }
}

/** A coroutine that waits for an operation, and what becomes of it when it is cancelled. */
private class Waiter(
    private val operation: Operation<*>,
    private val continuation: CancellableContinuation<Unit>,
    private val suspension: Suspension?,
    private val onCancellation: (() -> Unit)?,
) : Runnable, (Throwable?) -> Unit {
    /** The operation is done: on the thread that completes it. */
    override fun run() {
        if (suspension == null) continuation.resumeWith(SUCCESS)
        else suspension.resumeBy { continuation.resumeWith(SUCCESS) }
    }

    /** It was done before the coroutine could wait. */
    fun noNeed() {
        suspension?.release()
        continuation.resumeWith(SUCCESS)
    }

    override fun invoke(cause: Throwable?) {
        operation.stopWaiting(this)
        onCancellation?.invoke()
        suspension?.release()
    }
}

private val SUCCESS = Result.success(Unit)

/**
 * Keeps a socket that is always ready from holding its worker for ever: after [LENGTH] operations
 * in a row that were done at once, others get a chance.
 */
internal object ReadyStreak {
    /** Not tuned. */
    const val LENGTH = 64

    private class Count {
        var value = 0
    }

    private val counts = ThreadLocal.withInitial { Count() }

    /**
     * To be called before each operation: so that a coroutine which is cancelled here has lost
     * nothing.
     */
    suspend fun next() {
        val context = coroutineContext
        context.ensureActive()
        val count = counts.get()
        if (++count.value < LENGTH) return
        count.value = 0
        if (context[ContinuationInterceptor] is LatencyHidingDispatcher) checkpoint() else yield()
    }

    fun end() {
        counts.get().value = 0
    }
}
