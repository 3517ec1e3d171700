package dev.latencyhiding.coroutines

import dev.latencyhiding.Suspension
import java.util.concurrent.atomic.AtomicReference
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.Continuation
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.jvm.internal.CoroutineStackFrame
import kotlinx.coroutines.Job

/**
 * Marks a coroutine that is inside [hideLatency]. It holds a suspension while the coroutine runs or
 * waits there; the dispatcher, which sees the context of what it dispatches, resumes that
 * suspension.
 *
 * Children that are started inside inherit the element but have a job of their own, and are told by
 * it.
 */
internal class LatencyEdge(private val job: Job?) : AbstractCoroutineContextElement(Key) {
    /**
     * Of the node that runs, or that returned and waits. Taken by whoever dispatches the coroutine.
     */
    private val suspension = AtomicReference<Suspension?>()

    @Volatile private var closed = false

    /**
     * On a worker, at the beginning of each node of the coroutine that may wait inside the edge.
     */
    fun open() {
        suspension.set(Suspension.openOnWorker())
    }

    /** The coroutine has left the edge. */
    fun close() {
        closed = true
        suspension.getAndSet(null)?.release()
    }

    /** The coroutine goes on. Returns false if it is to be dispatched in the ordinary way. */
    fun resume(block: Runnable): Boolean {
        val waiting = suspension.getAndSet(null) ?: return false
        return waiting.resume {
            if (!closed) open()
            block.run()
        }
    }

    private fun isOf(context: CoroutineContext): Boolean {
        var inner = context[Job]
        while (inner !== job) {
            // The job of a scope knows the frame it returns to; that of a child has none.
            val outer =
                (inner as? CoroutineStackFrame)?.callerFrame as? Continuation<*> ?: return false
            inner = outer.context[Job]
        }
        return true
    }

    companion object Key : CoroutineContext.Key<LatencyEdge> {
        /** Spares every dispatch a look into the context as long as nobody uses edges. */
        @Volatile private var used = false

        fun of(context: CoroutineContext): LatencyEdge? =
            if (used) context[Key]?.takeIf { it.isOf(context) } else null

        fun enter(context: CoroutineContext): LatencyEdge {
            used = true
            return LatencyEdge(context[Job])
        }
    }
}

/** What the block of [hideLatency] completes: leaves the edge and goes on with the caller. */
internal class EdgeContinuation<T>(
    private val caller: Continuation<T>,
    private val edge: LatencyEdge,
) : Continuation<T>, CoroutineStackFrame {
    override val context: CoroutineContext = caller.context + edge

    override fun resumeWith(result: Result<T>) {
        edge.close()
        caller.resumeWith(result)
    }

    override val callerFrame: CoroutineStackFrame?
        get() = caller as? CoroutineStackFrame

    override fun getStackTraceElement(): StackTraceElement? = null
}
