package dev.latencyhiding.coroutines

import dev.latencyhiding.LatencyHidingScheduler
import dev.latencyhiding.Policy
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.StringSpec
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout

/**
 * Nobody but this suite needs so many: enough for the waits of one test, each of which blocks one.
 */
private const val CLASSIC_WORKERS = 8

/**
 * Includes the same tests five times: for [LatencyHiding], for a scheduler of one's own of each
 * policy, and for `Dispatchers.Default`, which says what is right.
 */
internal fun StringSpec.onEachDispatcher(behaviour: (CoroutineDispatcher) -> TestFactory) {
    include("LatencyHiding:", behaviour(LatencyHiding))
    for (policy in Policy.entries) {
        val own =
            LatencyHidingScheduler.builder()
                .name(policy.name)
                .policy(policy)
                .parallelism(if (policy == Policy.CLASSIC) CLASSIC_WORKERS else 3)
                .build()
        afterSpec { own.close() }
        include("own scheduler, $policy:", behaviour(own.asCoroutineDispatcher()))
    }
    include("Dispatchers.Default:", behaviour(Dispatchers.Default))
}

/** Runs a coroutine on the dispatcher. A lost wake-up fails the test, instead of hanging it. */
internal fun <T> on(dispatcher: CoroutineDispatcher, block: suspend CoroutineScope.() -> T): T =
    runBlocking {
        withTimeout(60.seconds) { withContext(dispatcher, block) }
    }

/** Scales what is repeated: more with `-Dlatencyhiding.stress=long`. */
internal fun times(short: Int): Int =
    if (System.getProperty("latencyhiding.stress") == "long") 20 * short else short

/** How many are inside at a time, and how many were at most. */
internal class Crowd {
    val inside = AtomicInteger()
    val most = AtomicInteger()

    val max: Int
        get() = most.get()

    inline fun <T> visit(action: () -> T): T {
        most.accumulateAndGet(inside.incrementAndGet(), Math::max)
        try {
            return action()
        } finally {
            inside.decrementAndGet()
        }
    }
}

/** Computes for some time. */
internal fun spin(nanos: Long) {
    val end = System.nanoTime() + nanos
    while (System.nanoTime() - end < 0) Thread.onSpinWait()
}
