package dev.latencyhiding.benchmarks.figures

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.LongAdder
import org.HdrHistogram.ConcurrentHistogram
import org.HdrHistogram.Histogram

/** What the clients of an echo server saw: how many answers came, and how long each took. */
internal class RoundTrips {
    private val count = LongAdder()
    private val clients = ConcurrentLinkedQueue<Client>()
    @Volatile private var nanos = ConcurrentHistogram(2)

    fun sum(): Long = count.sum()

    /** How many clients have had an answer. */
    fun answeredClients(): Int = clients.count { it.isAnswered }

    /** The times since the last [forget], in nanoseconds. */
    fun times(): Histogram = nanos

    /** After a warm-up. */
    fun forget() {
        nanos = ConcurrentHistogram(2)
    }

    /**
     * To be called at the end of a load, if the clients send a message every [paceNanos]. For one
     * that has come to a standstill the messages that it should have sent meanwhile count as well,
     * each for as long as it would have waited.
     */
    fun countStandstills(paceNanos: Long) = clients.forEach { it.countStandstill(paceNanos) }

    /** Clients that never had an answer count for as long as they have waited. */
    fun countUnanswered() = clients.filter { !it.isAnswered }.forEach { it.countWait() }

    /** For one client, which sends its next message when it has the answer to the last. */
    inner class Client {
        @Volatile private var last = System.nanoTime() // when it sent a message or had an answer

        @Volatile
        var isAnswered = false
            private set

        fun sends() {
            last = System.nanoTime()
        }

        fun hasAnswer() {
            val now = System.nanoTime()
            count.increment()
            nanos.recordValue(now - last)
            last = now
            if (!isAnswered) isAnswered = true
        }

        init {
            clients += this
        }

        fun countWait() = nanos.recordValue(System.nanoTime() - last)

        fun countStandstill(paceNanos: Long) {
            val stood = System.nanoTime() - last
            if (stood > 2 * paceNanos) nanos.recordValueWithExpectedInterval(stood, paceNanos)
        }
    }
}
