package dev.latencyhiding.nio

import dev.latencyhiding.LatencyHidingFuture
import java.nio.ByteBuffer
import java.nio.channels.FileLock
import java.nio.file.Path

/**
 * An open file for Java: a [FileHandle] whose operations return futures. Opened by
 * [AsyncFiles.open].
 *
 * A future that is cancelled is done at once, but its operation may use the buffer until the block
 * it is at is done.
 */
public class AsyncFile internal constructor(private val file: FileHandle) : AutoCloseable {
    /** The file that was opened. */
    public fun path(): Path = file.path

    /** Whether [close] was not called yet. */
    public val isOpen: Boolean
        get() = file.isOpen

    /** Reads at [position] until the [buffer] is full or the file ends; see [FileHandle.read]. */
    public fun read(buffer: ByteBuffer, position: Long): LatencyHidingFuture<Int> = start {
        file.read(buffer, position)
    }

    /** Writes all that remains in the [buffer] at [position]; see [FileHandle.write]. */
    public fun write(buffer: ByteBuffer, position: Long): LatencyHidingFuture<Int> = start {
        file.write(buffer, position)
    }

    /** Locks the whole file against other processes, and waits for them; see [FileHandle.lock]. */
    public fun lock(): LatencyHidingFuture<FileLock> = start { file.lock() }

    /** Locks a region against other processes, and waits for them; see [FileHandle.lock]. */
    public fun lock(position: Long, size: Long, shared: Boolean): LatencyHidingFuture<FileLock> =
        start {
            file.lock(position, size, shared)
        }

    /**
     * Locks the whole file, or gives null if another process has a lock; see [FileHandle.tryLock].
     */
    public fun tryLock(): LatencyHidingFuture<FileLock?> = start { file.tryLock() }

    /** Locks a region, or gives null if another process has a lock; see [FileHandle.tryLock]. */
    public fun tryLock(
        position: Long,
        size: Long,
        shared: Boolean,
    ): LatencyHidingFuture<FileLock?> = start { file.tryLock(position, size, shared) }

    /** The size of the file in bytes. */
    public fun size(): LatencyHidingFuture<Long> = start { file.size() }

    /** Cuts the file off after [size] bytes, if it is larger. */
    public fun truncate(size: Long): LatencyHidingFuture<Void?> = startAction {
        file.truncate(size)
    }

    /** Done when all that was written is on the disk; also size and times, with [metaData]. */
    public fun force(metaData: Boolean): LatencyHidingFuture<Void?> = startAction {
        file.force(metaData)
    }

    /** Closes the file; see [FileHandle.close]. */
    override fun close() {
        file.close()
    }

    override fun toString(): String = file.toString()
}
