package dev.latencyhiding.nio

import java.nio.ByteBuffer
import java.nio.channels.ByteChannel
import java.nio.channels.ClosedChannelException
import javax.net.ssl.SSLException
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock
import tlschannel.NeedsReadException
import tlschannel.NeedsTaskException
import tlschannel.NeedsWriteException
import tlschannel.TlsChannel

/**
 * TLS over a plain connection. The library of that name encrypts and decrypts between memory and
 * memory, and never waits. When it has too little to go on with it says so, and the coroutine waits
 * for the plain connection. Hence a wait is the same as without TLS, and so is cancelling it.
 */
internal class TlsSession(private val plain: Connection, make: (ByteChannel) -> TlsChannel) {
    private val received = ByteQueue()
    private val toSend = ByteQueue()
    private val channel = make(Memory())

    /** Readers, and in the rare case of a renegotiation writers, wait for bytes in turns. */
    private val receiving = Mutex()
    @Volatile private var receptions = 0
    @Volatile private var ended = false

    suspend fun handshake() = step("shake hands with") { channel.handshake() }

    /** At least one byte, or -1 at the end. */
    suspend fun read(into: ByteBuffer): Int {
        val count = step(READ) { channel.read(into) }
        if (count < 0 && !channel.shutdownReceived()) {
            throw EndOfStreamException(READ, peer, "the stream ended without the end of TLS")
        }
        return count
    }

    /** Encrypts all of [from]; [send] sends it. */
    suspend fun write(from: ByteBuffer) {
        while (from.hasRemaining()) step("write to") { channel.write(from) }
    }

    suspend fun shutdown() = step("shut down output to") { channel.shutdown() }

    /** Sends what is encrypted. Whoever is cancelled here leaves it to the next. */
    suspend fun send() {
        if (!toSend.isEmpty) plain.sink.sendAll(toSend)
    }

    private suspend inline fun <T> step(name: String, action: () -> T): T {
        while (true) {
            val seen = receptions
            try {
                return action()
            } catch (_: NeedsReadException) {
                send()
                receive(seen)
            } catch (_: NeedsWriteException) {
                send()
            } catch (e: NeedsTaskException) {
                e.task.run()
            } catch (e: SSLException) {
                throw TlsException(name, peer, e)
            } catch (e: ClosedChannelException) {
                if (!ended) throw ConnectionClosedException(name, peer, e)
                throw EndOfStreamException(name, peer, "the stream ended within the TLS handshake")
            }
        }
    }

    /** Waits for bytes, unless some have come since [seen]. */
    private suspend fun receive(seen: Int) = receiving.withLock {
        if (receptions == seen) {
            val source = plain.source
            source.read(READ) {
                if (source.require(1)) received.put(source.bytes) else ended = true
                receptions++
            }
        }
    }

    /** The channel that the library sees. */
    private inner class Memory : ByteChannel {
        override fun read(target: ByteBuffer): Int {
            val count = received.moveTo(target)
            return if (count == 0 && ended) -1 else count
        }

        override fun write(source: ByteBuffer): Int = source.remaining().also { toSend.put(source) }

        override fun isOpen(): Boolean = true

        override fun close() = Unit
    }

    private val peer: Any?
        get() = plain.remoteAddress ?: plain

    private companion object {
        const val READ = "read from"
    }
}

/** The decrypted bytes. */
private class TlsSource(private val session: TlsSession, pool: BufferPool, peer: Any?) :
    Source(pool, peer) {
    override val isFilling: Boolean
        get() = false

    override suspend fun fill(): Boolean {
        if (ended) return false
        ReadyStreak.next()
        val count = session.read(chunkWithRoom().tail)
        if (count < 0) ended = true else takeOver(count)
        session.send() // an answer that the peer may have asked for
        return !ended
    }
}

/** The bytes to be encrypted. */
private class TlsSink(private val session: TlsSession, pool: BufferPool, peer: Any?) :
    Sink(pool, peer) {
    override val isDraining: Boolean
        get() = false

    override suspend fun drain() {
        chunk?.let { session.write(it.head) }
        session.send()
    }

    override suspend fun end() {
        session.shutdown()
        session.send()
    }
}

internal suspend fun Connection.startTls(make: (ByteChannel) -> TlsChannel): Connection {
    try {
        val session = TlsSession(this, make)
        session.handshake()
        session.send()
        val pool = BufferPool.SHARED
        val peer = remoteAddress ?: this
        return Connection(
            TlsSource(session, pool, peer),
            TlsSink(session, pool, peer),
            this,
            remoteAddress,
        )
    } catch (e: Throwable) {
        close()
        throw e
    }
}
