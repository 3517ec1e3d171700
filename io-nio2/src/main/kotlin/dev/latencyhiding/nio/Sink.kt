package dev.latencyhiding.nio

import java.nio.ByteBuffer
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock

/**
 * The writing side of a connection: bytes that were written and not sent yet. Writers take turns,
 * first come, first served; what one of them writes is not torn apart by another.
 */
internal abstract class Sink(protected val pool: BufferPool, protected val peer: Any?) {
    private val turns = Mutex()

    /** Null if there is nothing to send. */
    protected var chunk: Chunk? = null
        private set

    protected val hold =
        object : Hold() {
            override fun onUnused() = giveChunk()
        }

    /** Sends all of the chunk. Cancelling it loses nothing: the next call goes on. */
    protected abstract suspend fun drain()

    /** Tells the peer that nothing more comes. All is sent. */
    protected abstract suspend fun end()

    /** Whether the chunk is being sent, and must not be touched. */
    protected abstract val isDraining: Boolean

    suspend fun write(source: ByteBuffer, andFlush: Boolean) =
        write("write to") {
            put(source)
            if (andFlush) drain()
        }

    suspend fun flush() = write("flush to") { drain() }

    suspend fun shutdown() =
        write("shut down output to") {
            drain()
            end()
        }

    /** Runs [block] when all writers that came before are through, and what they left is sent. */
    private suspend inline fun <T> write(name: String, block: () -> T): T = turns.withLock {
        if (!hold.tryBegin(Hold.USER)) throw ConnectionClosedException(name, peer, null)
        try {
            if (isDraining) drain()
            block()
        } finally {
            if (!isDraining && chunk?.head?.hasRemaining() == false) giveChunk()
            hold.end(Hold.USER)
        }
    }

    /**
     * Takes all bytes of [source]. What fits into a buffer is taken whole, or, if the coroutine is
     * cancelled before, not at all.
     */
    private suspend fun put(source: ByteBuffer) {
        while (source.hasRemaining()) {
            val present = chunk ?: pool.take().also { chunk = it }
            val needed = minOf(source.remaining(), present.capacity())
            if (present.room() < needed) drain() else present.put(source)
        }
    }

    /** Sends all that is in [queue], also what is put in meanwhile. */
    suspend fun sendAll(queue: ByteQueue) =
        write("write to") {
            while (true) {
                val present = chunk ?: pool.take().also { chunk = it }
                if (present.room() == 0) drain()
                // Into the chunk without a wait in between: whoever is cancelled has lost nothing.
                else if (!queue.moveTo(present)) break
            }
            drain()
        }

    protected fun giveChunk() {
        chunk?.let { pool.give(it) }
        chunk = null
    }

    open fun close() {
        hold.close()
    }
}
