package dev.latencyhiding.nio

import dev.latencyhiding.LatencyHidingFuture
import dev.latencyhiding.LatencyHidingScheduler
import dev.latencyhiding.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.launch

/**
 * Runs a suspending operation for Java. It starts on the calling thread, so that its wait suspends
 * the caller's deque; it goes on there, and completes the future on a worker. So the future's
 * stages run there as well.
 *
 * Cancelling the future cancels the operation.
 */
internal fun <T> start(operation: suspend () -> T): LatencyHidingFuture<T> {
    val scheduler = LatencyHidingScheduler.currentOrShared()
    val future = LatencyHidingFuture.incomplete<T>(scheduler)
    val job =
        CoroutineScope(scheduler.asCoroutineDispatcher()).launch(
            start = CoroutineStart.UNDISPATCHED
        ) {
            val result =
                try {
                    operation()
                } catch (e: Throwable) { // whatever it is, it is the outcome
                    future.completeExceptionally(e)
                    return@launch
                }
            if (!future.complete(result)) closeUnclaimed(result)
        }
    if (!future.isDone) future.whenComplete { _, _ -> job.cancel() }
    return future
}

/** As [start], for operations without a result. */
internal fun startAction(operation: suspend () -> Unit): LatencyHidingFuture<Void?> = start {
    operation()
    null
}

/** What was opened or locked for a future that was cancelled meanwhile. */
private fun closeUnclaimed(result: Any?) {
    try {
        (result as? AutoCloseable)?.close()
    } catch (_: Exception) {
        // There is nobody to tell; it is closed as far as it can be.
    }
}
