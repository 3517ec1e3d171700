package dev.latencyhiding.nio

import java.nio.ByteBuffer
import java.nio.charset.Charset
import java.nio.file.OpenOption
import java.nio.file.Path
import java.nio.file.StandardOpenOption
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow

/**
 * Reads the whole file. Also of those whose size is not known, such as the files in `/proc`.
 *
 * The disk is waited for on a thread of a small pool, and the coroutine comes back to the deque it
 * left.
 *
 * This suspending function is cancellable: [kotlinx.coroutines.CancellationException] is thrown at
 * once, and the file is closed after the block that is being read.
 *
 * @param limit the most bytes to read
 * @throws java.nio.file.NoSuchFileException if there is no such file
 * @throws java.nio.file.AccessDeniedException if it may not be read
 * @throws java.nio.file.FileSystemException if it is a directory, larger than [limit], or cannot be
 *   read for another reason; all of them name the operation and the file
 */
public suspend fun Path.readBytes(limit: Int = WholeFile.MAX_BYTES): ByteArray =
    WholeFile.read(this, limit).awaitOrAbandon()

/**
 * Reads the whole file as text. As [readBytes].
 *
 * @param limit the most bytes to read
 * @throws MalformedFileException if its bytes are not in the [charset]
 */
public suspend fun Path.readText(
    charset: Charset = Charsets.UTF_8,
    limit: Int = WholeFile.MAX_BYTES,
): String = FileText.decode(this, readBytes(limit), charset)

/**
 * Writes the whole file. The bytes must not be changed meanwhile.
 *
 * The disk is waited for on a thread of a small pool, and the coroutine comes back to the deque it
 * left.
 *
 * This suspending function is cancellable: the operation stops after the block it is at, and when
 * the file is closed [kotlinx.coroutines.CancellationException] is thrown. What was written by then
 * stays in the file.
 *
 * @param options how to open the file; none to create it, or to replace what it contains
 * @throws java.nio.file.FileSystemException if it cannot be written; names the operation and the
 *   file
 */
public suspend fun Path.writeBytes(bytes: ByteArray, vararg options: OpenOption) {
    WholeFile.write(this, ByteBuffer.wrap(bytes), *options).awaitEnd()
}

/**
 * Writes the whole file as text. As [writeBytes].
 *
 * @throws MalformedFileException if the [charset] cannot express the text; nothing is written then
 */
public suspend fun Path.writeText(
    text: CharSequence,
    charset: Charset = Charsets.UTF_8,
    vararg options: OpenOption,
) {
    WholeFile.write(this, FileText.encode(this, text, charset), *options).awaitEnd()
}

/**
 * The lines of the file, which is read while they are collected, each time anew. A line ends with
 * LF or CR LF, which are not part of it; what follows the last one is a line unless it is empty.
 *
 * ```
 * path.lines().filter { "ERROR" in it }.take(10).collect { println(it) }
 * ```
 *
 * The file is closed when the collection ends, in whatever way. Errors are those of [readText].
 *
 * @param maxLength the most characters of a line
 * @throws TooLongLineException from the collection, if a line is longer than [maxLength]
 */
public fun Path.lines(
    charset: Charset = Charsets.UTF_8,
    maxLength: Int = FileLines.DEFAULT_MAX_LENGTH,
): Flow<String> {
    require(maxLength >= 0) { "maxLength must not be negative: $maxLength" }
    return flow {
        OpenFile.open(this@lines).awaitOrAbandon().use { file ->
            val lines = FileLines(this@lines, charset, maxLength)
            do {
                // The buffer is ours: if cancelled, let it be, and close the file.
                val count = file.read(lines.space(), lines.position()).awaitOrAbandon()
                lines.filled(count < 0)
                while (true) emit(lines.next() ?: break)
            } while (count >= 0)
        }
    }
}

/**
 * Opens the file, to read and write it at given positions. The caller closes it:
 * ```
 * path.openFile(READ, WRITE).use { file -> file.write(buffer, position = 4096) }
 * ```
 *
 * This suspending function is cancellable, at once; a file that is opened nevertheless is closed.
 *
 * @param options how to open it, [StandardOpenOption.READ] if none are given;
 *   [StandardOpenOption.APPEND] does not go with positions
 * @throws java.nio.file.FileSystemException if it cannot be opened; names the operation and the
 *   file
 */
public suspend fun Path.openFile(vararg options: OpenOption): FileHandle =
    FileHandle(OpenFile.open(this, *options).awaitOrAbandon())
