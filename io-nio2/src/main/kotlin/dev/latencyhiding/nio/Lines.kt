package dev.latencyhiding.nio

import java.nio.ByteBuffer

/** What ends a line. */
public enum class LineEnding {
    /** A line feed, and a carriage return before it belongs to the ending. */
    LF_OR_CRLF,

    /** A line feed; a carriage return before it belongs to the line. */
    LF,

    /** Carriage return and line feed; a line feed alone is an error, as some protocols demand. */
    CRLF,
}

/** The first [count] bytes, which stay where they are. */
internal fun ByteBuffer.copy(count: Int): ByteArray = ByteArray(count).also { get(position(), it) }

/** Moves as many bytes as have room; returns how many. */
internal fun ByteBuffer.moveTo(target: ByteBuffer): Int {
    val count = minOf(remaining(), target.remaining())
    val end = limit()
    limit(position() + count)
    target.put(this)
    limit(end)
    return count
}

/**
 * The number of bytes before [delimiter]; -1 if it is not there. The first [from] were searched.
 */
internal fun ByteBuffer.lengthBefore(delimiter: Byte, from: Int): Int {
    for (i in position() + from until limit()) {
        if (get(i) == delimiter) return i - position()
    }
    return -1
}
