package dev.latencyhiding.benchmarks.workloads

import dev.latencyhiding.benchmarks.figures.BlockingEcho
import dev.latencyhiding.benchmarks.figures.EchoPeer
import dev.latencyhiding.benchmarks.figures.LibraryEcho
import dev.latencyhiding.benchmarks.figures.NettyEcho
import dev.latencyhiding.benchmarks.figures.PlainEcho
import dev.latencyhiding.benchmarks.figures.RoundTrips
import dev.latencyhiding.benchmarks.figures.tree
import dev.latencyhiding.benchmarks.figures.virtualThreadExecutor
import dev.latencyhiding.benchmarks.peers.Peer
import dev.latencyhiding.benchmarks.peers.PeerSpec
import dev.latencyhiding.benchmarks.peers.Peers
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicBoolean
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/**
 * Ping-pong of 64 bytes over loopback, both ends on the dispatcher: what it costs to get from a
 * socket to a coroutine and back. Ours by this library; the others by the same NIO.2 calls as one
 * writes them by hand, in a fixed group of P threads, which serves `Default` better than one. Bar
 * 12. Beside them what else one could do: see [Peers.NETTY] and the names that follow it.
 *     `EchoFigure` has the CPU of each.
 */
internal class Echo : Workload {
    override fun name(): String = "echo"

    override fun shows(): String = "round trips over NIO.2"

    override fun cases(scale: Scale): List<Case> {
        val millis = scale.pick(100, 120, 1_500).toLong()
        val connections = if (scale == Scale.TINY) listOf(2) else listOf(1, 64, 1000)
        val references =
            if (scale == Scale.FULL) FULL_REFERENCES else setOf(Peers.NETTY, Peers.BLOCKING)
        return connections.map { PingPong(it, millis, references) } + BesideLoad(2 * millis)
    }

    private class PingPong(
        private val connections: Int,
        private val millis: Long,
        private val references: Set<String>,
    ) : Case {
        override fun parameters() = parametersOf("connections" to connections)

        override fun hasWaitingPart() = false

        override fun isFor(peer: PeerSpec) = super.isFor(peer) || peer.name in references

        /** A thousand take long to connect, and run nothing that fewer do not. */
        override fun warmUp(peer: Peer, millis: Long) {
            PingPong(minOf(connections, MANY), millis, references).play(peer, RoundTrips())
        }

        override fun run(peer: Peer): List<Sample> {
            val roundTrips = RoundTrips()
            val rate = play(peer, roundTrips)
            check(rate > 0) { "No message came back" }
            return listOf(
                Sample.higher("round trips", "1/s", rate),
                Sample.lower("p99", "ms", millisOf(roundTrips, 99.0)),
            )
        }

        /** Returns how many came back per second; in a short time it may be none. */
        private fun play(peer: Peer, roundTrips: RoundTrips): Double {
            echo(peer).use {
                it.start(connections, roundTrips)
                awaitAnswers(roundTrips)
                pause(millis / 3)
                roundTrips.forget()
                val before = roundTrips.sum()
                val begun = System.nanoTime()
                pause(millis)
                val done = roundTrips.sum() - before
                val rate = 1e9 * done / (System.nanoTime() - begun)
                roundTrips.countUnanswered()
                return rate
            }
        }

        /**
         * Until all have had one: the last of a thousand has it so much later than the first. But
         * not for ever: some schedulers let the first play on and on, and the others starve. The
         * first answer comes when all have connected.
         */
        private fun awaitAnswers(roundTrips: RoundTrips) {
            check(awaitAnswered(1, roundTrips, CONNECT_MILLIS)) {
                "No message has come back after $CONNECT_MILLIS ms"
            }
            awaitAnswered(connections, roundTrips, START_MILLIS)
        }

        private fun awaitAnswered(clients: Int, roundTrips: RoundTrips, millis: Long): Boolean {
            val end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis)
            while (roundTrips.answeredClients() < clients) {
                if (System.nanoTime() - end >= 0) return false
                pause(1)
            }
            return true
        }
    }

    /** A message now and then, while a fork tree saturates the dispatcher. */
    private class BesideLoad(private val millis: Long) : Case {
        override fun parameters() = parametersOf("connections" to 1, "load" to "1 ms nodes")

        override fun hasWaitingPart() = false

        override fun warmUp(peer: Peer, millis: Long) {
            BesideLoad(millis).run(peer)
        }

        override fun run(peer: Peer): List<Sample> {
            val roundTrips = RoundTrips()
            val isOver = AtomicBoolean()
            val load = Job()
            try {
                echo(peer, PACE_MILLIS).use {
                    it.start(1, roundTrips)
                    CoroutineScope(peer.dispatcher + load).launch {
                        while (!isOver.get()) tree(isOver)
                    }
                    pause(millis / 3)
                    roundTrips.forget()
                    pause(millis)
                    roundTrips.countStandstills(TimeUnit.MILLISECONDS.toNanos(PACE_MILLIS))
                    isOver.set(true)
                }
            } finally {
                isOver.set(true)
                runBlocking { load.cancelAndJoin() }
            }
            // Without an answer in all that time the last message took at least as long.
            val starved = roundTrips.times().totalCount == 0L
            val p99 = if (starved) millis.toDouble() else millisOf(roundTrips, 99.0)
            return listOf(Sample.lower(BESIDE_LOAD, "ms", p99))
        }
    }

    private companion object {
        const val MANY = 64
        const val PACE_MILLIS = 1L
        const val CONNECT_MILLIS = 10_000L
        const val START_MILLIS = 200L
        const val BESIDE_LOAD = "p99 beside load"
        val FULL_REFERENCES =
            setOf(
                Peers.NETTY,
                Peers.BLOCKING,
                Peers.INLINE,
                Peers.INLINE_ONE,
                Peers.DEFAULT_IO_GROUP,
            )

        fun echo(peer: Peer, paceMillis: Long = 0): EchoPeer =
            when (peer.name) {
                Peers.NETTY -> NettyEcho(peer.parallelism)
                Peers.BLOCKING -> BlockingEcho(checkNotNull(virtualThreadExecutor()))
                Peers.INLINE_ONE -> PlainEcho(peer.dispatcher, 1)
                Peers.DEFAULT_IO_GROUP -> LibraryEcho(peer.dispatcher)
                else ->
                    if (peer.name.startsWith(Peers.OURS)) LibraryEcho(peer.dispatcher, paceMillis)
                    else PlainEcho(peer.dispatcher, peer.parallelism, paceMillis)
            }

        fun millisOf(roundTrips: RoundTrips, percentile: Double) =
            roundTrips.times().getValueAtPercentile(percentile) / 1e6
    }
}
