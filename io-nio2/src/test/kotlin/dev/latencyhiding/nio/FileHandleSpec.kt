package dev.latencyhiding.nio

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldEndWith
import java.nio.ByteBuffer
import java.nio.channels.ClosedChannelException
import java.nio.channels.NonReadableChannelException
import java.nio.channels.NonWritableChannelException
import java.nio.channels.OverlappingFileLockException
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardOpenOption.CREATE
import java.nio.file.StandardOpenOption.READ
import java.nio.file.StandardOpenOption.WRITE
import kotlin.random.Random
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout

/** Open files: reads and writes at positions, and locks. */
class FileHandleSpec :
    FunSpec({
        test("reads fill the buffer or end with the file") {
            FileTrial.run { trial ->
                trial.file().writeText("0123456789")
                trial.file().openFile().use { file ->
                    val buffer = ByteBuffer.allocate(4)
                    file.read(buffer, 3) shouldBe 4
                    String(buffer.array()) shouldBe "3456"
                    file.read(buffer, 3) shouldBe 0 // it is full
                    file.read(buffer.clear(), 8) shouldBe 2
                    buffer.position() shouldBe 2
                    file.read(buffer.clear(), 10) shouldBe -1
                    file.read(buffer.clear(), Long.MAX_VALUE - 10) shouldBe -1
                    buffer.position() shouldBe 0
                    val direct = ByteBuffer.allocateDirect(20).position(5).limit(9)
                    file.read(direct, 0) shouldBe 4
                    (direct.get(5).toInt().toChar()) shouldBe '0'
                    file.size() shouldBe 10
                }
            }
        }

        test("large reads and writes go block by block") {
            val bytes = Random(7).nextBytes(5 * BlockTransfer.BYTES + 11)
            FileTrial.run { trial ->
                trial.file().openFile(READ, WRITE, CREATE).use { file ->
                    file.write(ByteBuffer.wrap(bytes), 17) shouldBe bytes.size
                    val read = ByteBuffer.allocate(bytes.size + 1)
                    file.read(read, 17) shouldBe bytes.size
                    read.array().copyOf(bytes.size) shouldBe bytes
                    file.force()
                    file.truncate(17)
                    file.size() shouldBe 17
                    file.truncate(100) // never makes it larger
                    file.size() shouldBe 17
                }
            }
        }

        test("a gibibyte, sparse: positions beyond what fits into an int") {
            FileTrial.run { trial ->
                trial.file().openFile(READ, WRITE, CREATE).use { file ->
                    for (position in listOf((1L shl 30) - 1, (1L shl 32) + 5)) {
                        file.write(ByteBuffer.wrap("mark".toByteArray()), position) shouldBe 4
                        file.size() shouldBe position + 4
                        val buffer = ByteBuffer.allocate(8)
                        file.read(buffer, position - 4) shouldBe 8
                        String(buffer.array()) shouldBe "\u0000\u0000\u0000\u0000mark"
                    }
                }
            }
        }

        test("concurrent writes at different positions do not disturb each other") {
            val parts = FileTrial.scaled(200, 5_000)
            val size = 3_001
            FileTrial.run { trial ->
                trial.file().openFile(READ, WRITE, CREATE).use { file ->
                    List(parts) { part ->
                            async {
                                val bytes = ByteArray(size) { (part + it).toByte() }
                                file.write(ByteBuffer.wrap(bytes), part.toLong() * size)
                            }
                        }
                        .awaitAll()
                    List(parts) { part ->
                            async {
                                val buffer = ByteBuffer.allocate(size)
                                file.read(buffer, part.toLong() * size) shouldBe size
                                buffer.array() shouldBe ByteArray(size) { (part + it).toByte() }
                            }
                        }
                        .awaitAll()
                    file.size() shouldBe parts.toLong() * size
                }
            }
        }

        test("wrong use is refused with a message") {
            FileTrial.run { trial ->
                val path = trial.file()
                path.writeText("x")
                val buffer = ByteBuffer.allocate(1)
                val file = path.openFile()
                shouldThrow<IllegalArgumentException> { file.read(buffer, -1) }.message shouldBe
                    "position must not be negative: -1"
                shouldThrow<IllegalArgumentException> { file.write(buffer, -1) }
                shouldThrow<IllegalArgumentException> { file.truncate(-1) }
                shouldThrow<IllegalArgumentException> { file.lock(-1) }
                shouldThrow<IllegalArgumentException> { file.lock(2, Long.MAX_VALUE - 1) }
                shouldThrow<IllegalArgumentException> { file.read(buffer.asReadOnlyBuffer(), 0) }
                shouldThrow<NonWritableChannelException> { file.write(buffer, 0) }.message shouldBe
                    "$path: cannot write: it is not open for writing"
                shouldThrow<NonWritableChannelException> { file.lock() }.message shouldBe
                    "$path: cannot lock: it is not open for writing"
                path.openFile(WRITE).use {
                    shouldThrow<NonReadableChannelException> { it.read(buffer, 0) }.message shouldBe
                        "$path: cannot read: it is not open for reading"
                }
                file.isOpen shouldBe true
                file.toString() shouldBe "FileHandle[$path]"
                file.close()
                file.close()
                file.isOpen shouldBe false
                file.toString() shouldBe "FileHandle[$path, closed]"
                shouldThrow<ClosedChannelException> { file.read(buffer.clear(), 0) }
                    .message shouldBe "$path: cannot read: it is closed"
                shouldThrow<ClosedChannelException> { file.size() }
            }
        }

        test("overlapping locks of the same process are refused, others are not") {
            FileTrial.run { trial ->
                val path = trial.file()
                path.openFile(READ, WRITE, CREATE).use { file ->
                    val lock = file.lock(0, 10)
                    val error = shouldThrow<OverlappingFileLockException> { file.lock(5, 10) }
                    error.message shouldEndWith
                        "cannot lock: this process holds, or waits for, a lock that overlaps with it"
                    path.openFile(WRITE).use { other ->
                        shouldThrow<OverlappingFileLockException> { other.tryLock(9, 1) }
                        other.lock(10, 10).use { it.isValid shouldBe true }
                    }
                    lock.release()
                    file.lock(5, 10).use { it.isShared shouldBe false }
                    file.lock(shared = true).use { it.isShared shouldBe true }
                }
            }
        }

        test("a lock waits for another process, without holding a thread of the pool") {
            FileTrial.run { trial ->
                val path = trial.file()
                path.writeText("0123456789")
                path.openFile(READ, WRITE).use { file ->
                    // More waiters than the pool has threads; each waits for a byte of its own.
                    val waiters = 40L
                    val holder = startLockHolder(path, 0, waiters)
                    try {
                        file.tryLock().shouldBeNull()
                        file.tryLock(waiters, 5).shouldNotBeNull().release()
                        shouldThrow<TimeoutCancellationException> {
                            withTimeout(50) { file.lock() }
                        }
                        val locks = List(waiters.toInt()) { async { file.lock(it.toLong(), 1) } }
                        file.read(ByteBuffer.allocate(10), 0) shouldBe 10
                        locks.none { it.isCompleted } shouldBe true
                        holder.outputStream.close()
                        locks.awaitAll().forEach { it.release() }
                        file.lock().use { it.isValid shouldBe true }
                    } finally {
                        holder.destroyForcibly()
                    }
                }
            }
        }

        test("closing ends what is under way") {
            FileTrial.run { trial ->
                val file = trial.file().openFile(READ, WRITE, CREATE)
                val read = FileTrial.whileThePoolIsHeld {
                    val read = async { runCatching { file.read(ByteBuffer.allocate(1), 0) } }
                    FileTrial.waitUntil({ "it waits" }) {
                        trial.scheduler.stats().openSuspensions() > 0
                    }
                    file.close()
                    read
                }
                shouldThrow<ClosedChannelException> { read.await().getOrThrow() }
                Files.exists(file.path) shouldBe true
            }
        }
    })

private suspend fun startLockHolder(file: Path, position: Long, size: Long): Process =
    withContext(Dispatchers.IO) {
        val java = ProcessHandle.current().info().command().get()
        val classes = Path.of(LockHolder::class.java.protectionDomain.codeSource.location.toURI())
        val process =
            ProcessBuilder(
                    java,
                    "-cp",
                    "$classes",
                    LockHolder::class.java.name,
                    "$file",
                    "$position",
                    "$size",
                )
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start()
        process.inputStream.bufferedReader().readLine() shouldBe "locked true"
        process
    }
