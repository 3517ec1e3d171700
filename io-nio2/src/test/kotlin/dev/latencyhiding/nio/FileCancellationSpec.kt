package dev.latencyhiding.nio

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import java.io.RandomAccessFile
import java.nio.ByteBuffer
import java.nio.file.Files
import java.nio.file.StandardOpenOption.CREATE
import java.nio.file.StandardOpenOption.READ
import java.nio.file.StandardOpenOption.WRITE
import java.util.concurrent.atomic.AtomicInteger
import kotlin.io.path.exists
import kotlin.random.Random
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.Job
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.launch

/**
 * A cancelled coroutine sees a `CancellationException` and nothing else. Reads are abandoned at
 * once, writes have ended when it is thrown, and no file stays open: [FileTrial] checks that each
 * time.
 */
class FileCancellationSpec :
    FunSpec({
        test("what is cancelled before it begins is not done at all") {
            FileTrial.run { trial ->
                val file = trial.file().openFile(READ, WRITE, CREATE)
                val new = trial.file("new")
                val buffer = ByteBuffer.allocate(10)
                FileTrial.whileThePoolIsHeld {
                    val attempts =
                        listOf(
                            attempt { new.writeText("x") },
                            attempt { new.openFile(WRITE, CREATE) },
                            attempt { file.write(buffer, 0) },
                            attempt { file.read(buffer, 0) },
                            attempt { file.lock() },
                            attempt { trial.file().readText() },
                            attempt { trial.file().lines().collect() },
                        )
                    FileTrial.waitUntil({ "they wait: ${trial.scheduler.stats()}" }) {
                        trial.scheduler.stats().openSuspensions() >= attempts.size
                    }
                    attempts.forEach { it.cancelled() } // while the pool is still held
                }
                buffer.position() shouldBe 0
                file.size() shouldBe 0
                new.exists() shouldBe false
                file.close()
            }
        }

        test("a read that waits for its file is abandoned at once") {
            FileTrial.run { trial ->
                val pipe = trial.pipe()
                // Opening a pipe waits for somebody who writes.
                val attempts =
                    listOf(
                        attempt { pipe.readText() },
                        attempt { pipe.openFile() },
                        attempt { pipe.lines().collect() },
                    )
                FileTrial.waitUntil({ "they wait" }) {
                    trial.scheduler.stats().openSuspensions() == 3L
                }
                attempts.forEach { it.cancelled() }
                RandomAccessFile(pipe.toFile(), "rw").close() // lets the threads go on, and close
            }
        }

        test("a write has ended when the cancelled coroutine goes on") {
            FileTrial.run { trial ->
                val pipe = trial.pipe()
                RandomAccessFile(pipe.toFile(), "rw").use { reader ->
                    // More than a pipe takes until somebody reads it.
                    val write = attempt { pipe.writeBytes(ByteArray(100 * BlockTransfer.BYTES)) }
                    FileTrial.waitUntil({ "it waits" }) {
                        trial.scheduler.stats().openSuspensions() == 1L
                    }
                    // The first block is being written: the pipe has some of it.
                    reader.read() shouldBe 0
                    write.job.cancel()
                    // Cancelled, it waits for the write's end, and the write for the reader.
                    FileTrial.waitUntil({ "it waits again" }) {
                        trial.scheduler.stats().releases() > 0 &&
                            trial.scheduler.stats().openSuspensions() == 1L
                    }
                    write.job.isCompleted shouldBe false
                    reader.readFully(ByteArray(BlockTransfer.BYTES - 1))
                    write.cancelled() // after the first block
                }
            }
        }

        test("cancelled at any time: the outcome is whole, and nothing is left behind") {
            val rounds = FileTrial.scaled(1_500, 100_000)
            val random = Random(3)
            val done = AtomicInteger()
            FileTrial.run { trial ->
                val content = "content".repeat(100_000)
                val source = trial.file("source").apply { writeText(content) }
                val shared = trial.file().openFile(READ, WRITE, CREATE)
                repeat(rounds) { round ->
                    val mine = trial.file("mine")
                    val attempt =
                        when (round % 6) {
                            0 ->
                                attempt {
                                    source.readText() shouldBe content
                                    done.incrementAndGet()
                                }
                            1 ->
                                attempt {
                                    source.openFile().use { it.size() }
                                    done.incrementAndGet()
                                }
                            2 ->
                                attempt {
                                    mine.writeText(content)
                                    done.incrementAndGet()
                                }
                            3 -> attempt { shared.lock().use { done.incrementAndGet() } }
                            4 ->
                                attempt {
                                    source.lines().collect()
                                    done.incrementAndGet()
                                }
                            else ->
                                attempt {
                                    shared.read(ByteBuffer.allocate(10), 0)
                                    done.incrementAndGet()
                                }
                        }
                    val spins = random.nextInt(200_000)
                    repeat(spins) { Thread.onSpinWait() }
                    val outcome = attempt.end()
                    withClue("round $round") {
                        if (outcome != null) outcome.shouldBeInstanceOf<CancellationException>()
                        else if (round % 6 == 2) mine.readText() shouldBe content
                    }
                    Files.deleteIfExists(mine)
                }
                shared.lock().release() // no lock was left behind
                shared.close()
            }
            withClue("of $rounds, done: $done") { (done.get() in 1 until rounds) shouldBe true }
        }
    })

/** A coroutine that is going to be cancelled, and what its block ends with. */
private class Attempt(val job: Job, private val outcome: CompletableDeferred<Throwable?>) {
    suspend fun cancelled() {
        end().shouldNotBeNull().shouldBeInstanceOf<CancellationException>()
    }

    /** Cancels it. Null if the block had ended before. */
    suspend fun end(): Throwable? {
        job.cancelAndJoin()
        return outcome.await()
    }
}

@OptIn(DelicateCoroutinesApi::class) // cancelled before it starts, it runs nevertheless
private fun CoroutineScope.attempt(block: suspend () -> Unit): Attempt {
    val outcome = CompletableDeferred<Throwable?>()
    val job =
        launch(start = CoroutineStart.ATOMIC) {
            try {
                coroutineScope { block() }
                outcome.complete(null)
            } catch (e: Throwable) {
                outcome.complete(e)
            }
        }
    return Attempt(job, outcome)
}
