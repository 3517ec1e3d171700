package dev.latencyhiding.coroutines

import dev.latencyhiding.LatencyHidingFuture
import dev.latencyhiding.LatencyHidingScheduler
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.future.future as standardFuture

/**
 * Starts a coroutine and returns its result as a future for Java code, whose `…Async` stages run on
 * the same scheduler.
 *
 * ```
 * fun CoroutineScope.loadAsync(id: Int): LatencyHidingFuture<Page> = future { load(id) }
 * ```
 *
 * The coroutine runs on the dispatcher of the scope or of [context], and on [LatencyHiding] if
 * there is none. It is a child of the scope. As with the function of the same name in
 * `kotlinx.coroutines.future`, cancelling or completing the future cancels the coroutine, and an
 * exception of the coroutine is the future's result and cancels the scope.
 *
 * @throws IllegalArgumentException if [start] is lazy
 */
@OptIn(ExperimentalLatencyHidingApi::class)
public fun <T> CoroutineScope.future(
    context: CoroutineContext = EmptyCoroutineContext,
    start: CoroutineStart = CoroutineStart.DEFAULT,
    block: suspend CoroutineScope.() -> T,
): LatencyHidingFuture<T> {
    val dispatcher =
        context[ContinuationInterceptor]
            ?: coroutineContext[ContinuationInterceptor]
            ?: LatencyHiding
    val scheduler =
        (dispatcher as? LatencyHidingDispatcher)?.scheduler ?: LatencyHidingScheduler.shared()
    val result = LatencyHidingFuture.incomplete<T>(scheduler)
    val coroutine = standardFuture(context + dispatcher, start, block)
    coroutine.whenComplete { value, error ->
        if (error == null) result.complete(value) else result.completeExceptionally(error)
    }
    result.whenComplete { _, _ -> coroutine.cancel(false) }
    return result
}

/**
 * Starts a coroutine of no scope on this dispatcher: for functions that Java code calls, and which
 * end with their future.
 *
 * ```
 * fun loadAsync(id: Int): LatencyHidingFuture<Page> = LatencyHiding.future { load(id) }
 * ```
 *
 * Otherwise as [CoroutineScope.future].
 */
public fun <T> LatencyHidingDispatcher.future(
    block: suspend CoroutineScope.() -> T
): LatencyHidingFuture<T> = CoroutineScope(this).future(block = block)
