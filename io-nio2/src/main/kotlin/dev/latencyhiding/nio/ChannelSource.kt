package dev.latencyhiding.nio

import java.nio.channels.AsynchronousByteChannel

/**
 * Reads from a channel. A read of the channel that nobody waits for any more is joined by the next.
 */
internal class ChannelSource(
    private val channel: AsynchronousByteChannel,
    pool: BufferPool,
    peer: Any?,
) : Source(pool, peer) {
    /** Started, and its outcome not taken over yet. */
    private var pending: Operation<Int>? = null
    private var failure: Throwable? = null

    override val isFilling: Boolean
        get() = pending != null

    override suspend fun fill(): Boolean {
        failure?.let { throw SocketFailures.of(READ, peer, it) }
        if (ended) return false
        if (pending == null) ReadyStreak.next()
        val operation = pending ?: start()
        operation.await()
        pending = null
        failure = operation.failure()
        val count = operation.outcome(READ, peer)
        if (count < 0) ended = true else takeOver(count)
        return !ended
    }

    private fun start(): Operation<Int> {
        val chunk = chunkWithRoom()
        val operation = Fill()
        if (!hold.tryBegin(Hold.OPERATION)) throw ConnectionClosedException(READ, peer, null)
        pending = operation
        try {
            CallerExecutor.start { channel.read(chunk.tail, null, operation) }
        } catch (e: RuntimeException) { // the channel did not start it
            operation.failed(e, null)
        }
        return operation
    }

    private inner class Fill : Operation<Int>() {
        // Before its end is known: then the next operation may begin at once.
        override fun completed(result: Int, attachment: Void?) {
            hold.end(Hold.OPERATION)
            super.completed(result, attachment)
        }

        override fun failed(error: Throwable, attachment: Void?) {
            hold.end(Hold.OPERATION)
            super.failed(error, attachment)
        }
    }

    private companion object {
        const val READ = "read from"
    }
}
