package dev.latencyhiding.benchmarks.workloads

import dev.latencyhiding.benchmarks.figures.LibraryEcho
import dev.latencyhiding.benchmarks.figures.PlainEcho
import dev.latencyhiding.benchmarks.peers.Peer
import dev.latencyhiding.benchmarks.peers.Peers
import java.util.concurrent.atomic.LongAdder

/**
 * Ping-pong of 64 bytes over loopback, both ends on the dispatcher: what it costs to get from a
 * socket to a coroutine and back. Ours by this library; the others by the same NIO.2 calls as one
 * writes them by hand, in a fixed group of one thread. Bar 12. `EchoFigure` has Netty, virtual
 * threads with blocking sockets and handlers that go on at once beside it.
 */
internal class Echo : Workload {
    override fun name(): String = "echo"

    override fun shows(): String = "round trips over NIO.2"

    override fun cases(scale: Scale): List<Case> {
        val millis = scale.pick(100, 200, 2_000).toLong()
        val connections = if (scale == Scale.TINY) listOf(2) else listOf(1, 64, 1000)
        return connections.map { count ->
            case("connections" to count) { peer -> run(peer, count, millis) }
        }
    }

    private fun run(peer: Peer, connections: Int, millis: Long): List<Sample> {
        val roundTrips = LongAdder()
        val isOurs = peer.name.startsWith(Peers.OURS)
        val echo = if (isOurs) LibraryEcho(peer.dispatcher) else PlainEcho(peer.dispatcher, 1)
        echo.use {
            it.start(connections, roundTrips)
            pause(millis / 3) // until all are connected
            val before = roundTrips.sum()
            val begun = System.nanoTime()
            pause(millis)
            val done = roundTrips.sum() - before
            check(done > 0) { "No message came back" }
            val rate = 1e9 * done / (System.nanoTime() - begun)
            return listOf(Sample.higher("round trips", "1/s", rate))
        }
    }
}
