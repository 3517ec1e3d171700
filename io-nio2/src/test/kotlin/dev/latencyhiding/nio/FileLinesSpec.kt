package dev.latencyhiding.nio

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.nio.file.Files
import java.nio.file.NoSuchFileException
import kotlin.random.Random
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flowOn
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList

/** A file as a flow of lines. */
class FileLinesSpec :
    FunSpec({
        test("ends of lines") {
            val cases =
                mapOf(
                    "" to listOf(),
                    "\n" to listOf(""),
                    "a" to listOf("a"),
                    "a\n" to listOf("a"),
                    "a\nb" to listOf("a", "b"),
                    "a\r\nb\r\n" to listOf("a", "b"),
                    "a\n\nb\n" to listOf("a", "", "b"),
                    "a\rb\n" to listOf("a\rb"),
                    "a\r" to listOf("a\r"),
                    "\r\n\r\n" to listOf("", ""),
                    "\r\r\n" to listOf("\r"),
                )
            FileTrial.run { trial ->
                for ((content, lines) in cases) {
                    trial.file().writeText(content)
                    withClue(content) { trial.file().lines().toList() shouldBe lines }
                }
            }
        }

        test("random lines, in several character sets, are those of the text") {
            val random = Random(1)
            val alphabet = "ab \r€é道🛣"
            val lines =
                List(5_000) {
                    val line = buildString {
                        repeat(random.nextInt(60)) {
                            val codes = alphabet.codePoints().toArray()
                            appendCodePoint(codes[random.nextInt(codes.size)])
                        }
                    }
                    line.trimEnd('\r')
                }
            FileTrial.run { trial ->
                for (charset in listOf(Charsets.UTF_8, Charsets.UTF_16, Charsets.UTF_32)) {
                    for (end in listOf("\n", "\r\n")) {
                        trial.file().writeText(lines.joinToString("") { it + end }, charset)
                        trial.file().lines(charset).toList() shouldBe lines
                    }
                }
            }
        }

        test("a line longer than many blocks") {
            val long = "x".repeat(1_000_000)
            FileTrial.run { trial ->
                trial.file().writeText("$long\n$long\nshort")
                trial.file().lines().toList() shouldBe listOf(long, long, "short")
            }
        }

        test("a line as long as the limit is read, a longer one refused before its end is read") {
            FileTrial.run { trial ->
                val file = trial.file()
                for (end in listOf("", "\n", "\r\n")) {
                    file.writeText("first\n12345678$end")
                    file.lines(maxLength = 8).toList() shouldBe listOf("first", "12345678")
                    val seen = mutableListOf<String>()
                    val error =
                        shouldThrow<TooLongLineException> {
                            file.lines(maxLength = 7).collect { seen += it }
                        }
                    error.message shouldBe "$file: cannot read: line 2 is longer than 7 characters"
                    seen shouldBe listOf("first")
                }
                file.writeText("\n\n")
                file.lines(maxLength = 0).toList() shouldBe listOf("", "")
                java.io.RandomAccessFile(file.toFile(), "rw").use { it.setLength(1L shl 40) }
                shouldThrow<TooLongLineException> { file.lines().toList() }.message shouldBe
                    "$file: cannot read: line 3 is longer than 1048576 characters"
            }
        }

        test("malformed bytes are refused where they are, after the lines before them") {
            FileTrial.run { trial ->
                val file = trial.file()
                val before = "line\n".repeat(100_000)
                file.writeBytes(
                    before.toByteArray() + byteArrayOf('x'.code.toByte(), 0xFF.toByte())
                )
                var seen = 0
                val error = shouldThrow<MalformedFileException> { file.lines().collect { seen++ } }
                error.position() shouldBe before.length + 1
                file.writeBytes(
                    "cut off: ".toByteArray() + byteArrayOf(0xE2.toByte(), 0x82.toByte())
                )
                shouldThrow<MalformedFileException> { file.lines().toList() }.position() shouldBe 9
            }
        }

        test("the file is read while it is collected, each time anew, and closed in the end") {
            FileTrial.run { trial ->
                val file = trial.file()
                val lines = file.lines()
                shouldThrow<NoSuchFileException> { lines.first() }.message shouldBe
                    "$file: cannot open: there is no such file"
                file.writeText("1\n2\n3\n")
                lines.take(2).toList() shouldBe listOf("1", "2")
                lines.first() shouldBe "1"
                shouldThrow<IllegalStateException> { lines.collect { error(it) } }.message shouldBe
                    "1"
                lines.flowOn(Dispatchers.Default).toList() shouldBe listOf("1", "2", "3")
                Files.delete(file)
            } // which checks that no descriptor is left
        }
    })
