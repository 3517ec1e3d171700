package dev.latencyhiding.coroutines

import dev.latencyhiding.LatencyHidingScheduler
import dev.latencyhiding.Suspension
import dev.latencyhiding.Timeout
import java.util.concurrent.Executor
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.TimeUnit
import kotlin.coroutines.Continuation
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.coroutines.resume
import kotlin.coroutines.startCoroutine
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Delay
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.DisposableHandle
import kotlinx.coroutines.ExecutorCoroutineDispatcher
import kotlinx.coroutines.InternalCoroutinesApi
import kotlinx.coroutines.cancel
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.suspendCancellableCoroutine

/**
 * A coroutine dispatcher over a [LatencyHidingScheduler]: [LatencyHiding], or made by
 * [asCoroutineDispatcher].
 *
 * What a coroutine that runs on it dispatches goes to its worker's deque. A coroutine that another
 * thread resumes is taken before all work that did not wait. `delay` and `withTimeout` use the
 * scheduler's own timer, and a delayed coroutine comes back to the deque it left. `yield` joins a
 * queue, which takes turns with what comes from outside.
 */
// All use of the coroutine library's internal API is in this file: Delay and dispatchYield.
@OptIn(InternalCoroutinesApi::class, ExperimentalLatencyHidingApi::class)
public sealed class LatencyHidingDispatcher : ExecutorCoroutineDispatcher(), Delay {
    /** What runs the coroutines; its `stats()` tell how. */
    @ExperimentalLatencyHidingApi public abstract val scheduler: LatencyHidingScheduler

    /** The scheduler, as an `ExecutorService` for Java code. */
    override val executor: Executor
        get() = scheduler

    override fun dispatch(context: CoroutineContext, block: Runnable) {
        try {
            when {
                LatencyEdge.of(context)?.resume(block) == true -> {}
                // The one kind of block that is known to have waited.
                CONTINUATION.isInstance(block) -> scheduler.executeResumed(block)
                else -> scheduler.execute(block)
            }
        } catch (e: RejectedExecutionException) {
            finishElsewhere(context, block, e)
        }
    }

    override fun dispatchYield(context: CoroutineContext, block: Runnable) {
        try {
            scheduler.executeFairly(block)
        } catch (e: RejectedExecutionException) {
            finishElsewhere(context, block, e)
        }
    }

    /**
     * As other executor dispatchers do: the coroutine is cancelled, and gets to run its `finally`.
     */
    private fun finishElsewhere(
        context: CoroutineContext,
        block: Runnable,
        cause: RejectedExecutionException,
    ) {
        context.cancel(CancellationException("The task was rejected", cause))
        Dispatchers.IO.dispatch(context, block)
    }

    override fun scheduleResumeAfterDelay(
        timeMillis: Long,
        continuation: CancellableContinuation<Unit>,
    ) {
        val resume = DelayedResume(continuation, Suspension.openOnWorker())
        try {
            scheduler.after(timeMillis, TimeUnit.MILLISECONDS, resume)
        } catch (_: RejectedExecutionException) {
            resume(null)
            resumeElsewhereAfter(timeMillis, continuation)
            return
        }
        continuation.invokeOnCancellation(resume)
    }

    override fun invokeOnTimeout(
        timeMillis: Long,
        block: Runnable,
        context: CoroutineContext,
    ): DisposableHandle =
        try {
            TimeoutBlock(this, timeMillis, block, context).also {
                scheduler.after(timeMillis, TimeUnit.MILLISECONDS, it)
            }
        } catch (_: RejectedExecutionException) {
            invokeElsewhereOnTimeout(timeMillis, block, context)
        }

    /** By the coroutine library's own timer. */
    internal fun invokeElsewhereOnTimeout(
        millis: Long,
        block: Runnable,
        context: CoroutineContext,
    ): DisposableHandle = super.invokeOnTimeout(millis, block, context)

    /** Dispatchers of the same scheduler are the same: switching between them needs no dispatch. */
    override fun equals(other: Any?): Boolean =
        this === other || other is LatencyHidingDispatcher && other.scheduler === scheduler

    override fun hashCode(): Int = System.identityHashCode(scheduler)
}

/**
 * The timer's entry for a coroutine in `delay`, and its cancellation handler: one object for both.
 */
private class DelayedResume(
    private val continuation: CancellableContinuation<Unit>,
    private val suspension: Suspension?,
) : Timeout(), (Throwable?) -> Unit {
    override fun fire() {
        if (suspension == null) {
            continuation.resumeWith(SUCCESS)
        } else {
            suspension.resumeBy { continuation.resumeWith(SUCCESS) }
        }
    }

    override fun invoke(cause: Throwable?) {
        cancel()
        suspension?.release()
    }
}

/** The timer's entry for a `withTimeout`, and the handle to withdraw it. */
@OptIn(InternalCoroutinesApi::class)
private class TimeoutBlock(
    private val dispatcher: LatencyHidingDispatcher,
    timeMillis: Long,
    private val block: Runnable,
    private val context: CoroutineContext,
) : Timeout(), DisposableHandle {
    private val began = System.nanoTime()
    private val nanos = TimeUnit.MILLISECONDS.toNanos(timeMillis)
    @Volatile private var elsewhere: DisposableHandle? = null
    @Volatile private var disposed = false

    override fun fire() {
        val left = nanos - (System.nanoTime() - began)
        if (left <= 0) {
            block.run()
        } else {
            // The scheduler terminates, but what the timeout limits may go on elsewhere, and has
            // its time.
            val millis = TimeUnit.NANOSECONDS.toMillis(left) + 1
            val handle = dispatcher.invokeElsewhereOnTimeout(millis, block, context)
            elsewhere = handle
            if (disposed) handle.dispose()
        }
    }

    override fun dispose() {
        disposed = true
        cancel()
        elsewhere?.dispose()
    }
}

private val SUCCESS = Result.success(Unit)

/**
 * The class of all [CancellableContinuation]s. To ask for the interface would be slow on several
 * workers, as `WorkDeque` explains: two pairs of coroutines on channels took 16 ms instead of 8.
 */
private val CONTINUATION: Class<*> = run {
    lateinit var type: Class<*>
    val wait: suspend () -> Unit = {
        suspendCancellableCoroutine {
            type = it.javaClass
            it.resume(Unit)
        }
    }
    wait.startCoroutine(Continuation(EmptyCoroutineContext) { it.getOrThrow() })
    type
}

/** The scheduler is gone, but a `finally` block may still wait for something. */
private fun resumeElsewhereAfter(timeMillis: Long, continuation: CancellableContinuation<Unit>) {
    CoroutineScope(Dispatchers.IO).launch {
        delay(timeMillis)
        continuation.resumeWith(SUCCESS)
    }
}
