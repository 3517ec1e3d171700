package dev.latencyhiding.nio

import dev.latencyhiding.LatencyHidingFuture
import java.nio.charset.Charset
import java.nio.file.OpenOption
import java.nio.file.Path
import java.util.function.Consumer

/**
 * Files for Java. An operation returns at once; the disk is waited for on a thread of a small pool,
 * and the future is completed on a worker: its stages run on the deque that started the operation.
 *
 * ```java
 * AsyncFiles.readText(path)
 *         .thenApply(text -> parse(text))
 *         .thenCompose(result -> AsyncFiles.writeText(target, result));
 * ```
 *
 * Errors complete the future. They have the type one looks for, such as `NoSuchFileException`, and
 * name the operation and the file. Cancelling completes the future at once; the operation stops
 * after the block it is at, and closes what it has opened.
 *
 * In Kotlin use the suspending functions [readBytes][Path.readBytes] and so on.
 */
public object AsyncFiles {
    /**
     * The system property that sets how many threads wait for the disk, 16 by default. It is read
     * when the first file is used.
     */
    public const val THREADS_PROPERTY: String = "dev.latencyhiding.files.threads"

    /** Reads the whole file, of at most [limit] bytes; see [Path.readBytes]. */
    @JvmStatic
    @JvmOverloads
    public fun readBytes(
        path: Path,
        limit: Int = WholeFile.MAX_BYTES,
    ): LatencyHidingFuture<ByteArray> = start { path.readBytes(limit) }

    /** Reads the whole file as text, of at most [limit] bytes; see [Path.readText]. */
    @JvmStatic
    @JvmOverloads
    public fun readText(
        path: Path,
        charset: Charset = Charsets.UTF_8,
        limit: Int = WholeFile.MAX_BYTES,
    ): LatencyHidingFuture<String> = start { path.readText(charset, limit) }

    /** Writes the whole file; see [Path.writeBytes]. */
    @JvmStatic
    public fun writeBytes(
        path: Path,
        bytes: ByteArray,
        vararg options: OpenOption,
    ): LatencyHidingFuture<Void?> = startAction { path.writeBytes(bytes, *options) }

    /** Writes the whole file as text, in UTF-8 by default; see [Path.writeText]. */
    @JvmStatic
    @JvmOverloads
    public fun writeText(
        path: Path,
        text: CharSequence,
        charset: Charset = Charsets.UTF_8,
        vararg options: OpenOption,
    ): LatencyHidingFuture<Void?> = startAction { path.writeText(text, charset, *options) }

    /**
     * Calls [action] with each line, in order, one at a time, on a worker; if it throws, that is
     * the outcome. See [Path.lines] for what a line is.
     *
     * @return how many lines there were
     */
    @JvmStatic
    @JvmOverloads
    public fun forEachLine(
        path: Path,
        action: Consumer<in String>,
        charset: Charset = Charsets.UTF_8,
        maxLength: Int = FileLines.DEFAULT_MAX_LENGTH,
    ): LatencyHidingFuture<Long> = start {
        var count = 0L
        path.lines(charset, maxLength).collect {
            action.accept(it)
            count++
        }
        count
    }

    /** Opens a file, which the caller closes; see [Path.openFile]. */
    @JvmStatic
    public fun open(path: Path, vararg options: OpenOption): LatencyHidingFuture<AsyncFile> =
        start {
            AsyncFile(path.openFile(*options))
        }
}
