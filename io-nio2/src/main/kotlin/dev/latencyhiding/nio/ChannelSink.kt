package dev.latencyhiding.nio

import java.nio.channels.AsynchronousByteChannel
import java.nio.channels.AsynchronousSocketChannel

/** Writes to a channel. A write that nobody waits for any more goes on, and the next joins it. */
internal class ChannelSink(
    private val channel: AsynchronousByteChannel,
    pool: BufferPool,
    peer: Any?,
) : Sink(pool, peer) {
    private var pending: Drain? = null
    private var failure: Throwable? = null

    override val isDraining: Boolean
        get() = pending != null

    override suspend fun drain() {
        failure?.let { throw SocketFailures.of(WRITE, peer, it) }
        val operation = pending ?: start() ?: return
        operation.await()
        pending = null
        failure = operation.failure()
        giveChunk()
        operation.outcome(WRITE, peer)
    }

    private suspend fun start(): Drain? {
        val chunk = chunk
        if (chunk == null || !chunk.head.hasRemaining()) return null
        ReadyStreak.next()
        if (!hold.tryBegin(Hold.OPERATION)) throw ConnectionClosedException(WRITE, peer, null)
        return Drain(chunk).also {
            pending = it
            it.next()
        }
    }

    override suspend fun end() {
        if (channel is AsynchronousSocketChannel) {
            try {
                channel.shutdownOutput()
            } catch (e: java.io.IOException) {
                throw SocketFailures.of("shut down output to", peer, e)
            }
        }
    }

    /** Goes on by itself until all is sent: so a slow peer needs no worker in between. */
    private inner class Drain(private val chunk: Chunk) : Operation<Int>() {
        fun next() {
            try {
                CallerExecutor.start { channel.write(chunk.head, null, this) }
            } catch (e: RuntimeException) { // the channel did not start it
                failed(e, null)
            }
        }

        override fun completed(result: Int, attachment: Void?) {
            if (chunk.head.hasRemaining()) {
                next()
            } else {
                hold.end(Hold.OPERATION)
                super.completed(result, attachment)
            }
        }

        override fun failed(error: Throwable, attachment: Void?) {
            hold.end(Hold.OPERATION)
            super.failed(error, attachment)
        }
    }

    private companion object {
        const val WRITE = "write to"
    }
}
