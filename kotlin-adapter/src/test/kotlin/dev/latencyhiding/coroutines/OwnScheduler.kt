package dev.latencyhiding.coroutines

import dev.latencyhiding.LatencyHidingScheduler
import dev.latencyhiding.Policy
import dev.latencyhiding.SchedulerStats
import io.kotest.assertions.withClue
import io.kotest.matchers.shouldBe
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.locks.LockSupport
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.withTimeout

/** Only bounds a failure: what hangs fails. */
internal val DEADLINE: Duration = 60.seconds

private const val POLL_NANOS = 100_000L

private val schedulersMade = AtomicInteger()

/** The first number normally, the second with `-Dlatencyhiding.stress=long`. */
internal fun scaled(short: Int, long: Int): Int =
    if (System.getProperty("latencyhiding.stress") == "long") long else short

/**
 * Runs [block] as a coroutine of its own in [context]. Unlike `withContext` it also fails in time
 * if a wake-up is lost, since nobody waits for the coroutine that hangs.
 */
internal suspend fun <T> detached(
    context: CoroutineContext,
    deadline: Duration = DEADLINE,
    block: suspend CoroutineScope.() -> T,
): T {
    val result = CoroutineScope(context).async(block = block)
    return withTimeout(deadline) { result.await() }
}

/**
 * A scheduler that replaces no blocked workers, so that at most [parallelism] nodes run at a time.
 */
internal fun newScheduler(
    parallelism: Int = 2,
    policy: Policy = Policy.PROWS_R,
): LatencyHidingScheduler =
    LatencyHidingScheduler.builder()
        .policy(policy)
        .name("own-${schedulersMade.incrementAndGet()}")
        .parallelism(parallelism)
        .maxSpareWorkers(0)
        .build()

/** What is to behave the same on any dispatcher is tried on each of these. */
internal fun dispatchersAround(own: LatencyHidingScheduler): Map<String, CoroutineDispatcher> =
    mapOf(
        "LatencyHiding" to LatencyHiding,
        "an own scheduler" to own.asCoroutineDispatcher(),
        "a view" to own.asCoroutineDispatcher().limitedParallelism(1),
        "Dispatchers.Default" to Dispatchers.Default,
        "Dispatchers.Unconfined" to Dispatchers.Unconfined,
    )

/**
 * Runs [block] as a coroutine on a scheduler of its own, then checks that nothing is left behind
 * there. Returns what happened on the scheduler, and closes it.
 */
internal suspend fun onOwnScheduler(
    parallelism: Int = 2,
    deadline: Duration = DEADLINE,
    policy: Policy = Policy.PROWS_R,
    block: suspend CoroutineScope.(LatencyHidingScheduler) -> Unit,
): SchedulerStats {
    val scheduler = newScheduler(parallelism, policy)
    try {
        detached(scheduler.asCoroutineDispatcher(), deadline) { block(scheduler) }
        return scheduler.statsWhenQuiet()
    } finally {
        scheduler.shutdownAbandoningSuspensions()
    }
}

/**
 * Waits until all workers sleep and every suspension has ended, and checks that it freed its deque.
 * The thread that completed an operation may release a suspension after the coroutine has gone on.
 */
internal fun LatencyHidingScheduler.statsWhenQuiet(): SchedulerStats {
    waitUntil({ "the workers sleep and nothing is open: ${stats()}" }) {
        stats().openSuspensions() == 0L && stats().sleepingWorkers() == parallelism()
    }
    val stats = stats()
    withClue(stats) {
        stats.suspensions() shouldBe stats.resumes() + stats.releases()
        stats.suspendedDeques() shouldBe 0
        stats.resumableDeques() shouldBe 0
        stats.muggableDeques() shouldBe 0
    }
    return stats
}

/** Blocks the calling thread, which is not a worker, until [condition] holds. */
internal fun waitUntil(
    what: () -> String,
    deadline: Duration = DEADLINE,
    condition: () -> Boolean,
) {
    val end = TimeSource.Monotonic.markNow() + deadline
    while (!condition()) {
        if (end.hasPassedNow()) throw AssertionError("not within $deadline: ${what()}")
        LockSupport.parkNanos(POLL_NANOS)
    }
}

/** Holds a worker without blocking its thread until [condition] holds. */
internal fun spinUntil(what: String, condition: () -> Boolean) {
    val end = TimeSource.Monotonic.markNow() + DEADLINE
    while (!condition()) {
        if (end.hasPassedNow()) throw AssertionError("not within $DEADLINE: $what")
        Thread.onSpinWait()
    }
}
