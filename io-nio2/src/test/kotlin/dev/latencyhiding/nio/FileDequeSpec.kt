package dev.latencyhiding.nio

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldStartWith
import java.nio.ByteBuffer
import java.nio.file.StandardOpenOption.CREATE
import java.nio.file.StandardOpenOption.READ
import java.nio.file.StandardOpenOption.WRITE
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.async
import kotlinx.coroutines.flow.count
import kotlinx.coroutines.launch

/** While a coroutine waits for the disk its worker goes on, and it comes back to its deque. */
class FileDequeSpec :
    FunSpec({
        val operations: Map<String, suspend (FileHandle) -> Any?> =
            mapOf(
                "readBytes" to { it.path.readBytes() },
                "readText" to { it.path.readText() },
                "writeBytes" to { it.path.writeBytes(ByteArray(1)) },
                "writeText" to { it.path.writeText("x") },
                "lines" to { it.path.lines().count() },
                "openFile" to { it.path.openFile().close() },
                "read" to { it.read(ByteBuffer.allocate(1), 0) },
                "write" to { it.write(ByteBuffer.allocate(1), 0) },
                "lock" to { it.lock().release() },
                "tryLock" to { it.tryLock()!!.release() },
                "size" to { it.size() },
                "truncate" to { it.truncate(1) },
                "force" to { it.force() },
            )
        for ((name, operation) in operations) {
            test("$name gives the deque away and comes back to it") {
                val ran = AtomicInteger()
                val stats =
                    FileTrial.run(parallelism = 1) { trial ->
                        val file = trial.file().openFile(READ, WRITE, CREATE)
                        val before = trial.scheduler.stats()
                        val waits = FileTrial.whileThePoolIsHeld {
                            val waits = async {
                                launch {
                                    ran.incrementAndGet()
                                } // stays in the deque that is given away
                                operation(file)
                                Thread.currentThread().name shouldStartWith "files-worker-"
                                ran.get()
                            }
                            // The one worker: it computes while the other coroutine waits.
                            while (
                                trial.scheduler.stats().openSuspensions() == 0L || ran.get() == 0
                            ) {
                                kotlinx.coroutines.yield()
                            }
                            trial.scheduler.stats().suspendedDeques() shouldBeGreaterThanOrEqual 1
                            waits
                        }
                        waits.await() shouldBe 1
                        val after = trial.scheduler.stats()
                        after.resumes() - before.resumes() shouldBeGreaterThanOrEqual 1
                        file.close()
                    }
                // A later step may be done before anybody waits for it: then it is released.
                stats.suspensions() shouldBe stats.resumes() + stats.releases()
            }
        }
    })
