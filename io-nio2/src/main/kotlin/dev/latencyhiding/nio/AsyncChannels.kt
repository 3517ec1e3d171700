package dev.latencyhiding.nio

import dev.latencyhiding.LatencyHidingFuture
import java.net.SocketAddress
import java.nio.ByteBuffer
import java.nio.channels.AsynchronousByteChannel
import java.nio.channels.AsynchronousFileChannel
import java.nio.channels.AsynchronousServerSocketChannel
import java.nio.channels.AsynchronousSocketChannel
import java.nio.channels.FileLock

/**
 * The JDK's own channels for Java: their operations as futures, completed on a worker, so that
 * their stages run on the deque that started the operation. Make the channels by [IoGroup].
 *
 * The caller owns the buffer. So cancelling a future **closes the channel**: nothing else keeps the
 * system from using the buffer later. [AsyncConnection] has operations that can be cancelled and go
 * on.
 */
public object AsyncChannels {
    /**
     * Reads what is there, -1 at the end of the stream; see [AsynchronousByteChannel.awaitRead].
     */
    @JvmStatic
    public fun read(
        channel: AsynchronousByteChannel,
        buffer: ByteBuffer,
    ): LatencyHidingFuture<Int> = start {
        channel.awaitRead(buffer)
    }

    /** Writes some of the bytes; see [AsynchronousByteChannel.awaitWrite]. */
    @JvmStatic
    public fun write(
        channel: AsynchronousByteChannel,
        buffer: ByteBuffer,
    ): LatencyHidingFuture<Int> = start { channel.awaitWrite(buffer) }

    /** Connects; see [AsynchronousSocketChannel.awaitConnect]. */
    @JvmStatic
    public fun connect(
        channel: AsynchronousSocketChannel,
        address: SocketAddress,
    ): LatencyHidingFuture<Void?> = startAction { channel.awaitConnect(address) }

    /** Accepts a connection; see [AsynchronousServerSocketChannel.awaitAccept]. */
    @JvmStatic
    public fun accept(
        channel: AsynchronousServerSocketChannel
    ): LatencyHidingFuture<AsynchronousSocketChannel> = start { channel.awaitAccept() }

    /** Reads at a position, -1 beyond the end; see [AsynchronousFileChannel.awaitRead]. */
    @JvmStatic
    public fun read(
        channel: AsynchronousFileChannel,
        buffer: ByteBuffer,
        position: Long,
    ): LatencyHidingFuture<Int> = start { channel.awaitRead(buffer, position) }

    /** Writes at a position; see [AsynchronousFileChannel.awaitWrite]. */
    @JvmStatic
    public fun write(
        channel: AsynchronousFileChannel,
        buffer: ByteBuffer,
        position: Long,
    ): LatencyHidingFuture<Int> = start { channel.awaitWrite(buffer, position) }

    /** Locks a region; see [AsynchronousFileChannel.awaitLock]. */
    @JvmStatic
    public fun lock(
        channel: AsynchronousFileChannel,
        position: Long,
        size: Long,
        shared: Boolean,
    ): LatencyHidingFuture<FileLock> = start { channel.awaitLock(position, size, shared) }
}
