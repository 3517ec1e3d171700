@file:JvmName("Copying")

package dev.latencyhiding.nio

import java.nio.ByteBuffer
import java.nio.channels.AsynchronousFileChannel

private const val FILE_BLOCK = 64 * 1024

/**
 * Copies the rest of this stream to [target], and sends it.
 *
 * If it is cancelled, every byte that was taken from this stream was given to [target].
 *
 * @return the number of bytes
 */
public suspend fun Connection.copyTo(target: Connection): Long =
    source.read("copy from") {
        var total = 0L
        while (source.require(1)) {
            val bytes = source.bytes
            total += bytes.remaining()
            target.sink.write(bytes, andFlush = true)
        }
        total
    }

/**
 * Sends a part of a file, all of it by default. There is no way past the memory of the process with
 * NIO.2; the file's blocks go through one buffer.
 *
 * If it is cancelled, [file] is closed, as with its own [awaitRead].
 *
 * @return the number of bytes: less than [count] if the file ends before that
 */
public suspend fun Connection.writeFrom(
    file: AsynchronousFileChannel,
    position: Long = 0,
    count: Long = Long.MAX_VALUE,
): Long {
    require(position >= 0) { "position must not be negative: $position" }
    require(count >= 0) { "count must not be negative: $count" }
    val block = ByteBuffer.allocateDirect(FILE_BLOCK)
    var total = 0L
    while (total < count) {
        block.clear().limit(minOf(FILE_BLOCK.toLong(), count - total).toInt())
        if (file.awaitRead(block, position + total) < 0) break
        total += block.flip().remaining()
        write(block)
    }
    flush()
    return total
}
