package dev.latencyhiding.coroutines

import dev.latencyhiding.LatencyHidingScheduler
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExecutorCoroutineDispatcher

/**
 * The dispatcher of the [shared][LatencyHidingScheduler.shared] scheduler: one pool for computing
 * and waiting.
 *
 * ```
 * suspend fun total(urls: List<String>): Long = withContext(LatencyHiding) {
 *     urls.map { url -> async { compute(fetch(url)) } }.sumOf { it.touch() }
 * }
 * ```
 *
 * Its threads are daemons and start on first use. It cannot be closed.
 */
public object LatencyHiding : LatencyHidingDispatcher() {
    @ExperimentalLatencyHidingApi
    override val scheduler: LatencyHidingScheduler
        get() = LatencyHidingScheduler.shared()

    /**
     * Always throws [UnsupportedOperationException]: the dispatcher belongs to the whole process.
     */
    override fun close(): Nothing =
        throw UnsupportedOperationException("Dispatchers.LatencyHiding cannot be closed")

    override fun toString(): String = "Dispatchers.LatencyHiding"
}

/** [dev.latencyhiding.coroutines.LatencyHiding], where one looks for dispatchers. */
@Suppress("UnusedReceiverParameter")
public val Dispatchers.LatencyHiding: LatencyHidingDispatcher
    get() = dev.latencyhiding.coroutines.LatencyHiding

/**
 * This scheduler as a coroutine dispatcher. All dispatchers of one scheduler are equal.
 *
 * Import `dev.latencyhiding.coroutines.asCoroutineDispatcher` by name: the scheduler is also an
 * `ExecutorService`, and the function of the same name in `kotlinx.coroutines` makes an ordinary
 * dispatcher of it, which hides no latency.
 *
 * Closing it shuts the scheduler down without waiting. Coroutines that are queued run; those that
 * are suspended, or dispatched later, are cancelled and finish on [Dispatchers.IO].
 */
public fun LatencyHidingScheduler.asCoroutineDispatcher(): ExecutorCoroutineDispatcher =
    if (this === LatencyHidingScheduler.shared()) dev.latencyhiding.coroutines.LatencyHiding
    else OwnDispatcher(this)

/**
 * A dispatcher over a scheduler of its own, which is the caller's to close:
 * ```
 * LatencyHidingDispatcher(parallelism = 4, name = "imports").use { imports ->
 *     runBlocking(imports) { importAll() }
 * }
 * ```
 *
 * Delicate, because its threads live until it is closed. A view of the shared one by
 * `LatencyHiding.limitedParallelism` has none.
 *
 * @param configure further settings, as daemon threads or an exception handler
 * @throws IllegalArgumentException if [parallelism] is not from 1 to
 *   [LatencyHidingScheduler.MAX_PARALLELISM], or [name] is blank
 */
@DelicateCoroutinesApi
public fun LatencyHidingDispatcher(
    parallelism: Int,
    name: String,
    configure: LatencyHidingScheduler.Builder.() -> Unit = {},
): ExecutorCoroutineDispatcher =
    LatencyHidingScheduler.builder()
        .parallelism(parallelism)
        .name(name)
        .apply(configure)
        .build()
        .asCoroutineDispatcher()

@OptIn(ExperimentalLatencyHidingApi::class)
private class OwnDispatcher(override val scheduler: LatencyHidingScheduler) :
    LatencyHidingDispatcher() {
    override fun close() {
        scheduler.shutdownAbandoningSuspensions()
    }

    override fun toString(): String = scheduler.name()
}
