package dev.latencyhiding.nio

import java.nio.ByteBuffer
import java.nio.channels.FileLock
import java.nio.file.Path
import kotlinx.coroutines.delay

/**
 * An open file that is read and written at given positions, by any number of coroutines at a time.
 * It has no position of its own. Opened by [openFile].
 *
 * The disk is waited for on the threads of a small pool, and the coroutine comes back to the deque
 * it left. Errors name the operation and the file.
 */
public class FileHandle internal constructor(private val file: OpenFile) : AutoCloseable {
    /** The file that was opened. */
    public val path: Path
        get() = file.path()

    /** Whether [close] was not called yet. */
    public val isOpen: Boolean
        get() = file.isOpen

    /**
     * Reads at [position] until the [buffer] is full or the file ends.
     *
     * This suspending function is cancellable: [kotlinx.coroutines.CancellationException] is thrown
     * when nothing touches the buffer any more, after a block at most.
     *
     * @return the number of bytes read; -1 if there are none at the position or after it
     */
    public suspend fun read(buffer: ByteBuffer, position: Long): Int =
        file.read(buffer, position).awaitEnd()

    /**
     * Writes all that remains in the [buffer] at [position]. The file grows if need be; a gap reads
     * as zeros.
     *
     * This suspending function is cancellable: [kotlinx.coroutines.CancellationException] is thrown
     * when nothing touches the buffer any more, after a block at most. The buffer's position says
     * how much was written.
     *
     * @return the number of bytes written
     */
    public suspend fun write(buffer: ByteBuffer, position: Long): Int =
        file.write(buffer, position).awaitEnd()

    /**
     * Waits until the region is locked against other processes, and asks again after 1 ms, 2 ms,
     * and so on, 64 ms at most. No thread waits meanwhile. The caller releases the lock, or closes
     * the file:
     * ```
     * file.lock().use { … }
     * ```
     *
     * A lock belongs to the process: it does not exclude coroutines of the same one, which use a
     * `Mutex`.
     *
     * This suspending function is cancellable, at once; a lock that is got nevertheless is
     * released.
     *
     * @throws java.nio.channels.OverlappingFileLockException if this process has a lock on some of
     *   the region, by whatever handle
     */
    public suspend fun lock(
        position: Long = 0,
        size: Long = Long.MAX_VALUE - position,
        shared: Boolean = false,
    ): FileLock {
        var pause = 1L
        while (true) {
            tryLock(position, size, shared)?.let {
                return it
            }
            delay(pause)
            pause = minOf(2 * pause, LONGEST_PAUSE_MILLIS)
        }
    }

    /**
     * Locks the region against other processes, unless one of them holds a lock on some of it. As
     * [lock], without the wait.
     *
     * @return null if another process holds a lock on some of the region
     */
    public suspend fun tryLock(
        position: Long = 0,
        size: Long = Long.MAX_VALUE - position,
        shared: Boolean = false,
    ): FileLock? = file.tryLock(position, size, shared).awaitOrAbandon()

    /** The size of the file in bytes. This suspending function is cancellable, at once. */
    public suspend fun size(): Long = file.size().awaitOrAbandon()

    /**
     * Cuts the file off after [size] bytes, if it is larger. Cancellable as [write] is: it may have
     * been done.
     */
    public suspend fun truncate(size: Long) {
        file.truncate(size).awaitEnd()
    }

    /**
     * Waits until all that was written is on the disk; also size and times, with [metaData].
     * Cancellable as [write] is.
     */
    public suspend fun force(metaData: Boolean = true) {
        file.force(metaData).awaitEnd()
    }

    /**
     * Closes the file, which releases its locks. Operations under way fail with
     * [java.nio.channels.ClosedChannelException], as do later ones. Has no effect if called again.
     */
    override fun close() {
        file.close()
    }

    override fun toString(): String = "FileHandle[$path${if (isOpen) "" else ", closed"}]"

    private companion object {
        const val LONGEST_PAUSE_MILLIS = 64L
    }
}
