package dev.latencyhiding.nio

import com.sun.management.UnixOperatingSystemMXBean
import dev.latencyhiding.LatencyHidingScheduler
import dev.latencyhiding.SchedulerStats
import dev.latencyhiding.coroutines.asCoroutineDispatcher
import io.kotest.assertions.withClue
import io.kotest.matchers.shouldBe
import java.lang.management.ManagementFactory
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.ServerSocket
import java.net.Socket
import java.util.concurrent.locks.LockSupport
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.async
import kotlinx.coroutines.withTimeout

/** Only bounds a failure: what hangs fails. */
internal val DEADLINE: Duration = 60.seconds

internal val LOOPBACK: InetAddress = InetAddress.getLoopbackAddress()

/** The first number normally, the second with `-Dlatencyhiding.stress=long`. */
internal fun scaled(short: Int, long: Int): Int =
    if (System.getProperty("latencyhiding.stress") == "long") long else short

internal fun anyPort() = InetSocketAddress(LOOPBACK, 0)

/** Runs [block] as a coroutine of its own, so that a wake-up that is lost fails in time. */
internal suspend fun <T> detached(
    context: CoroutineContext,
    block: suspend CoroutineScope.() -> T,
): T {
    val result = CoroutineScope(context).async(block = block)
    return withTimeout(DEADLINE) { result.await() }
}

/** Runs [block] on a scheduler of its own, and checks that nothing is left behind there. */
internal suspend fun onOwnScheduler(
    parallelism: Int = 2,
    block: suspend CoroutineScope.(LatencyHidingScheduler) -> Unit,
): SchedulerStats {
    val scheduler =
        LatencyHidingScheduler.builder().parallelism(parallelism).maxSpareWorkers(0).build()
    try {
        detached(scheduler.asCoroutineDispatcher()) { block(scheduler) }
        return scheduler.statsWhenQuiet()
    } finally {
        scheduler.shutdownAbandoningSuspensions()
    }
}

internal fun LatencyHidingScheduler.statsWhenQuiet(): SchedulerStats {
    waitUntil({ "the workers sleep and no deque is suspended: ${stats()}" }) {
        val stats = stats()
        stats.sleepingWorkers() == parallelism() && stats.openSuspensions() == 0L
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

internal fun waitUntil(what: () -> String, condition: () -> Boolean) {
    val end = TimeSource.Monotonic.markNow() + DEADLINE
    while (!condition()) {
        if (end.hasPassedNow()) throw AssertionError("not within $DEADLINE: ${what()}")
        LockSupport.parkNanos(100_000)
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

private val system = ManagementFactory.getOperatingSystemMXBean() as UnixOperatingSystemMXBean

internal fun openDescriptors(): Long = system.openFileDescriptorCount

internal fun maxDescriptors(): Long = system.maxFileDescriptorCount

/** A connection of this library, and its peer: a blocking socket of the JDK. */
internal suspend fun <T> withPeer(block: suspend (Connection, Socket) -> T): T =
    ServerSocket(0, 50, LOOPBACK).use { server ->
        Connection.connect(server.localSocketAddress as InetSocketAddress).use { connection ->
            server.accept().use { peer ->
                peer.tcpNoDelay = true
                block(connection, peer)
            }
        }
    }

/** A socket that ends with a reset instead of an end of the stream. */
internal fun Socket.reset() {
    setSoLinger(true, 0)
    close()
}

/** Begins at once; a failure is a result and does not cancel the scope. */
internal fun <T> CoroutineScope.attempt(block: suspend () -> T): Deferred<Result<T>> =
    async(start = CoroutineStart.UNDISPATCHED) { runCatching { block() } }
