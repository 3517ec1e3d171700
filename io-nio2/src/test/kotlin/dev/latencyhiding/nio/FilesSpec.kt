package dev.latencyhiding.nio

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import java.io.RandomAccessFile
import java.nio.charset.CharacterCodingException
import java.nio.file.AccessDeniedException
import java.nio.file.FileAlreadyExistsException
import java.nio.file.FileSystemException
import java.nio.file.FileSystems
import java.nio.file.Files
import java.nio.file.NoSuchFileException
import java.nio.file.Path
import java.nio.file.StandardOpenOption.APPEND
import java.nio.file.StandardOpenOption.CREATE
import java.nio.file.StandardOpenOption.CREATE_NEW
import kotlin.io.path.createDirectory
import kotlin.io.path.div
import kotlin.io.path.exists
import kotlin.random.Random
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.withContext

private const val KIB = 1024

/** Files as a whole: what is written is read, and what goes wrong is named. */
class FilesSpec :
    FunSpec({
        test("round trips of all sizes around the blocks") {
            FileTrial.run { trial ->
                val block = BlockTransfer.BYTES
                val sizes = listOf(0, 1, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, block - 1, block)
                for (size in sizes + listOf(block + 1, 3 * block, 3 * block + 7)) {
                    val bytes = Random(size).nextBytes(size)
                    val file = trial.file("$size")
                    file.writeBytes(bytes)
                    withClue("$size bytes") {
                        Files.readAllBytes(file) shouldBe bytes
                        file.readBytes() shouldBe bytes
                    }
                }
            }
        }

        test("text round trips, in several character sets") {
            val text = "Straße, δρόμος, 道, 🛣️, \uFFFD, a\u0000b\r\n".repeat(10_000)
            FileTrial.run { trial ->
                for (charset in listOf(Charsets.UTF_8, Charsets.UTF_16, Charsets.UTF_32)) {
                    trial.file().writeText(text, charset)
                    trial.file().readText(charset) shouldBe text
                }
                trial.file().writeText("")
                trial.file().readText() shouldBe ""
            }
        }

        test("writing replaces what was there, unless options say otherwise") {
            FileTrial.run { trial ->
                val file = trial.file()
                file.writeText("a long first version")
                file.writeText("second")
                file.readText() shouldBe "second"
                file.writeText(", third", Charsets.UTF_8, CREATE, APPEND)
                file.readText() shouldBe "second, third"
                val error =
                    shouldThrow<FileAlreadyExistsException> {
                        file.writeText("x", options = arrayOf(CREATE_NEW))
                    }
                error.message shouldBe "$file: cannot write: it exists already"
                file.readText() shouldBe "second, third"
            }
        }

        test("files that do not know their size are read to their end") {
            FileTrial.run {
                Files.size(Path.of("/proc/cpuinfo")) shouldBe 0
                Path.of("/proc/cpuinfo").readText() shouldContain "processor"
                Path.of("/dev/null").readBytes().size shouldBe 0
            }
        }

        test("large files, sparse: read within a limit, refused beyond it or beyond an array") {
            FileTrial.run { trial ->
                val file = trial.file()
                fun resize(size: Long) =
                    RandomAccessFile(file.toFile(), "rw").use { it.setLength(size) }
                val size = 100_000_001
                resize(size - 5L)
                file.writeText("hello", Charsets.UTF_8, APPEND)
                val bytes = file.readBytes(limit = size)
                bytes.size shouldBe size
                bytes.indexOfFirst { it != 0.toByte() } shouldBe size - 5
                String(bytes, size - 5, 5) shouldBe "hello"

                shouldThrow<FileSystemException> { file.readBytes(limit = size - 1) }
                    .message shouldBe
                    "$file: cannot read: its 100000001 bytes are more than the limit of 100000000"
                resize(3L shl 30)
                shouldThrow<FileSystemException> { file.readText() }.message shouldBe
                    "$file: cannot read: its 3221225472 bytes are more than the limit of 2147483639"
            }
        }

        test("the limit holds also for a file that does not know its size") {
            FileTrial.run {
                val file = Path.of("/proc/cpuinfo")
                val size = file.readBytes().size
                file.readBytes(limit = size + KIB).size shouldBe size
                shouldThrow<FileSystemException> { file.readBytes(limit = 10) }
                    .message shouldContain "more than the limit of 10"
            }
        }

        test("errors have the type one looks for, and name operation and file") {
            FileTrial.run { trial ->
                val none = trial.directory / "none"
                shouldThrow<NoSuchFileException> { none.readBytes() }.message shouldBe
                    "$none: cannot read: there is no such file"
                shouldThrow<NoSuchFileException> { none.readText() }.file shouldBe "$none"
                shouldThrow<NoSuchFileException> { none.openFile() }.message shouldBe
                    "$none: cannot open: there is no such file"
                shouldThrow<NoSuchFileException> { (none / "x").writeText("") }.message shouldBe
                    "${none / "x"}: cannot write: there is no such file"

                val directory = (trial.directory / "directory").createDirectory()
                shouldThrow<FileSystemException> { directory.readBytes() }.message shouldBe
                    "$directory: cannot read: it is a directory"
                shouldThrow<FileSystemException> { directory.writeText("x") }.message shouldBe
                    "$directory: cannot write: it is a directory"

                trial.file().writeText("")
                val below = trial.file() / "below"
                shouldThrow<FileSystemException> { below.readBytes() }.message shouldBe
                    "$below: cannot read: Not a directory"
            }
        }

        test("access denied") {
            // Nobody may write it, whatever the user.
            val file = Path.of("/sys/kernel/uevent_seqnum")
            if (file.exists()) {
                FileTrial.run {
                    shouldThrow<AccessDeniedException> { file.writeText("1") }.message shouldBe
                        "$file: cannot write: access is denied"
                }
            }
        }

        test("disk full") {
            val file = Path.of("/dev/full")
            if (file.exists()) {
                FileTrial.run {
                    val error = shouldThrow<FileSystemException> { file.writeText("x") }
                    error.message shouldBe "$file: cannot write: No space left on device"
                }
            }
        }

        test("malformed text is refused, and says where it is malformed") {
            FileTrial.run { trial ->
                val file = trial.file()
                val malformed =
                    mapOf(
                        "a stray continuation" to byteArrayOf(0x61, 0x80.toByte()),
                        "overlong" to byteArrayOf(0x61, 0xC0.toByte(), 0x80.toByte()),
                        "a surrogate" to
                            byteArrayOf(0x61, 0xED.toByte(), 0xA0.toByte(), 0x80.toByte()),
                        "cut off" to byteArrayOf(0x61, 0xE2.toByte(), 0x82.toByte()),
                        "beyond Unicode" to
                            byteArrayOf(
                                0x61,
                                0xF5.toByte(),
                                0x80.toByte(),
                                0x80.toByte(),
                                0x80.toByte(),
                            ),
                    )
                for ((what, bytes) in malformed) {
                    file.writeBytes(bytes)
                    withClue(what) {
                        val error = shouldThrow<MalformedFileException> { file.readText() }
                        error.message shouldBe "$file: cannot read: the bytes are not UTF-8 at 1"
                        error.position() shouldBe 1
                        error.file() shouldBe "$file"
                        shouldThrow<CharacterCodingException> { file.readText() }
                    }
                }
                file.writeText("unharmed")
                shouldThrow<MalformedFileException> { file.writeText("ab\uD800") }.message shouldBe
                    "$file: cannot write: the character has no form in UTF-8 at 2"
                shouldThrow<MalformedFileException> { file.writeText("a€", Charsets.ISO_8859_1) }
                    .message shouldBe
                    "$file: cannot write: the character has no form in ISO-8859-1 at 1"
                file.readText() shouldBe "unharmed"
            }
        }

        test("bad arguments are refused at once") {
            FileTrial.run { trial ->
                for (limit in listOf(-1, Int.MIN_VALUE, Int.MAX_VALUE)) {
                    shouldThrow<IllegalArgumentException> { trial.file().readBytes(limit) }
                        .message shouldBe "limit must be from 0 to 2147483639: $limit"
                }
                shouldThrow<IllegalArgumentException> { trial.file().lines(maxLength = -1) }
                shouldThrow<IllegalArgumentException> { trial.file().openFile(APPEND) }
                    .message shouldStartWith "APPEND does not go with"
                trial.file().exists() shouldBe false
            }
        }

        test("files of other file systems") {
            FileTrial.run { trial ->
                FileSystems.newFileSystem(trial.file("archive.zip"), mapOf("create" to "true"))
                    .use { zip ->
                        val file = zip.getPath("/inside.txt")
                        file.writeText("in the archive")
                        file.readText() shouldBe "in the archive"
                        shouldThrow<NoSuchFileException> { zip.getPath("/none").readBytes() }
                            .message shouldBe "/none: cannot read: there is no such file"
                    }
            }
        }

        test("they work on every dispatcher") {
            FileTrial.run { trial ->
                val contexts = listOf(Dispatchers.Default, Dispatchers.Unconfined, Dispatchers.IO)
                for (context in contexts) {
                    withContext(context) {
                        trial.file().writeText("$context")
                        trial.file().readText() shouldBe "$context"
                    }
                }
            }
        }

        test("many at a time") {
            FileTrial.run { trial ->
                val count = FileTrial.scaled(500, 10_000)
                List(count) { i ->
                        async {
                            val file = trial.file("$i")
                            val text = "$i,".repeat(i)
                            file.writeText(text)
                            file.readText() shouldBe text
                            Files.delete(file)
                        }
                    }
                    .awaitAll()
            }
        }
    })
