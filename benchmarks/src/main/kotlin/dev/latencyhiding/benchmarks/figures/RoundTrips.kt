package dev.latencyhiding.benchmarks.figures

import java.util.concurrent.atomic.LongAdder
import org.HdrHistogram.ConcurrentHistogram
import org.HdrHistogram.Histogram

/** What the clients of an echo server saw: how many answers came, and how long each took. */
internal class RoundTrips {
    private val count = LongAdder()
    @Volatile private var nanos = ConcurrentHistogram(2)

    fun sum(): Long = count.sum()

    /** The times since the last [forget], in nanoseconds. */
    fun times(): Histogram = nanos

    /** After a warm-up. */
    fun forget() {
        nanos = ConcurrentHistogram(2)
    }

    /** For one client, which sends its next message when it has the answer to the last. */
    inner class Client {
        private var sent = System.nanoTime()

        fun sends() {
            sent = System.nanoTime()
        }

        fun hasAnswer() {
            count.increment()
            nanos.recordValue(System.nanoTime() - sent)
        }
    }
}
