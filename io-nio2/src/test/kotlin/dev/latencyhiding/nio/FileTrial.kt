package dev.latencyhiding.nio

import dev.latencyhiding.LatencyHidingScheduler
import dev.latencyhiding.SchedulerStats
import dev.latencyhiding.coroutines.asCoroutineDispatcher
import io.kotest.assertions.withClue
import io.kotest.matchers.shouldBe
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.LockSupport
import kotlin.io.path.createTempDirectory
import kotlin.io.path.div
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.pathString
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.async
import kotlinx.coroutines.withTimeout

/**
 * A directory and a scheduler for a test of files. In the end nothing is left: no open descriptor,
 * no suspension, no deque.
 */
internal class FileTrial private constructor(val scheduler: LatencyHidingScheduler) {
    val directory: Path = createTempDirectory("latency-hiding").toRealPath()

    fun file(name: String = "file"): Path = directory / name

    /** A named pipe: opening, reading and writing it wait for the other side. */
    fun pipe(): Path {
        val path = file("pipe")
        ProcessBuilder("mkfifo", path.pathString).start().waitFor() shouldBe 0
        return path
    }

    private fun openDescriptors(): List<String> =
        Path.of("/proc/self/fd").listDirectoryEntries().mapNotNull {
            try {
                Files.readSymbolicLink(it).toString().takeIf { file ->
                    file.startsWith(directory.pathString)
                }
            } catch (_: java.nio.file.NoSuchFileException) {
                null // closed meanwhile
            }
        }

    private fun checkNothingIsLeft(): SchedulerStats {
        waitUntil({ "no open files: ${openDescriptors()}" }) { openDescriptors().isEmpty() }
        waitUntil({ "the workers sleep: ${scheduler.stats()}" }) {
            scheduler.stats().sleepingWorkers() == scheduler.parallelism()
        }
        val stats = scheduler.stats()
        withClue(stats) {
            stats.openSuspensions() shouldBe 0
            stats.suspendedDeques() shouldBe 0
            stats.resumableDeques() shouldBe 0
            stats.muggableDeques() shouldBe 0
        }
        return stats
    }

    companion object {
        /** Only bounds a failure: what hangs fails. */
        val DEADLINE = 60.seconds

        private const val POLL_NANOS = 100_000L

        /** Runs [block] on a scheduler of its own, and returns what happened there. */
        suspend fun run(
            parallelism: Int = 2,
            block: suspend CoroutineScope.(FileTrial) -> Unit,
        ): SchedulerStats {
            val scheduler =
                LatencyHidingScheduler.builder()
                    .name("files")
                    .parallelism(parallelism)
                    .maxSpareWorkers(0)
                    .build()
            val trial = FileTrial(scheduler)
            try {
                val result =
                    CoroutineScope(scheduler.asCoroutineDispatcher()).async { block(trial) }
                withTimeout(DEADLINE) { result.await() }
                return trial.checkNothingIsLeft()
            } finally {
                scheduler.shutdownAbandoningSuspensions()
                trial.directory.toFile().deleteRecursively()
            }
        }

        /** Holds all threads of the pool while [block] runs, so that operations queue. */
        suspend fun <T> whileThePoolIsHeld(block: suspend () -> T): T {
            val threads = FileThreads.threads(System.getProperty(AsyncFiles.THREADS_PROPERTY))
            val holding = CountDownLatch(threads)
            val end = CountDownLatch(1)
            repeat(threads) {
                FileTask.start<Any?>("hold", Path.of("a thread")) {
                    holding.countDown()
                    end.await()
                    null
                }
            }
            try {
                holding.await(DEADLINE.inWholeSeconds, TimeUnit.SECONDS) shouldBe true
                return block()
            } finally {
                end.countDown()
            }
        }

        /** Blocks the calling thread until [condition] holds. */
        fun waitUntil(what: () -> String, condition: () -> Boolean) {
            val end = TimeSource.Monotonic.markNow() + DEADLINE
            while (!condition()) {
                if (end.hasPassedNow()) throw AssertionError("not within $DEADLINE: ${what()}")
                LockSupport.parkNanos(POLL_NANOS)
            }
        }

        /** The first number normally, the second with `-Dlatencyhiding.stress=long`. */
        fun scaled(short: Int, long: Int): Int =
            if (System.getProperty("latencyhiding.stress") == "long") long else short
    }
}
