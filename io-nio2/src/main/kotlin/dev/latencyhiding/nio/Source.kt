package dev.latencyhiding.nio

import java.nio.ByteBuffer

/**
 * The reading side of a connection: the bytes that have come and were not taken yet. One coroutine
 * reads at a time. What has come stays here if that is cancelled.
 */
internal abstract class Source(protected val pool: BufferPool, protected val peer: Any?) {
    private var chunk: Chunk? = null

    protected val hold =
        object : Hold() {
            override fun onUnused() = giveChunk()
        }

    /** Nothing more will come. */
    protected var ended = false

    /** The bytes that are there; taking them advances its position. Empty without a chunk. */
    val bytes: ByteBuffer
        get() = chunk?.head ?: NOTHING

    /**
     * Waits for at least one more byte. Returns false at the end of the stream. Cancelling it loses
     * nothing.
     */
    abstract suspend fun fill(): Boolean

    /** Whether an operation is pending that will put bytes into the chunk. */
    protected abstract val isFilling: Boolean

    /** Waits until [count] bytes are there; returns false if the stream ends before that. */
    suspend fun require(count: Int): Boolean {
        while (bytes.remaining() < count) {
            if (!fill()) return false
        }
        return true
    }

    /** Runs [block] as the one reader. */
    inline fun <T> read(name: String, block: () -> T): T {
        begin(name)
        try {
            return block()
        } finally {
            end()
        }
    }

    fun begin(name: String) {
        if (!hold.tryBegin(Hold.USER)) {
            if (hold.isClosed) throw ConnectionClosedException(name, peer, null)
            throw IllegalStateException("$name $peer: another coroutine is reading from it")
        }
    }

    fun end() {
        if (!bytes.hasRemaining() && !isFilling) giveChunk()
        hold.end(Hold.USER)
    }

    /** A chunk whose tail has room; it grows if it is full of bytes that wait for more. */
    protected fun chunkWithRoom(): Chunk {
        val present = chunk ?: pool.take()
        val roomy =
            if (!present.isFull) present
            else present.grown(grownCapacity(present.capacity())).also { pool.give(present) }
        roomy.makeRoom()
        chunk = roomy
        return roomy
    }

    /** So many bytes were put into the chunk's tail. */
    protected fun takeOver(count: Int) {
        chunk?.takeOver(count)
    }

    private fun grownCapacity(capacity: Int): Int =
        if (capacity <= Int.MAX_VALUE / 2) capacity * 2
        else throw OutOfMemoryError("more than $capacity unread bytes from $peer")

    private fun giveChunk() {
        chunk?.let { pool.give(it) }
        chunk = null
    }

    open fun close() {
        hold.close()
    }

    private companion object {
        val NOTHING: ByteBuffer = ByteBuffer.allocate(0)
    }
}
