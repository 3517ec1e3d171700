package dev.latencyhiding.benchmarks.workloads

import dev.latencyhiding.benchmarks.peers.Peer
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/**
 * A million empty coroutines, launched by one coroutine (inside) or by a thread that is no worker
 * (outside). It shows the cost of handing in work from one place, where every other worker has to
 * come and fetch it. Bar 2. A coroutine that is lost or run twice never lets the round end.
 */
internal class Launch : Workload {
    override fun name(): String = "launch"

    override fun shows(): String = "empty coroutines, all launched in one place"

    override fun cases(scale: Scale): List<Case> {
        val count = scale.pick(1_000, 30_000, 1_000_000)
        return listOf(
            timed("from" to "inside", hasWaitingPart = false) { repeat(count) { launch {} } },
            case("from" to "outside", hasWaitingPart = false) { peer -> outside(peer, count) },
        )
    }

    private fun outside(peer: Peer, count: Int): List<Sample> {
        val all = Job()
        val scope = CoroutineScope(peer.dispatcher + all)
        val begun = System.nanoTime()
        repeat(count) { scope.launch {} }
        all.complete()
        runBlocking { all.join() }
        return listOf(Sample.time(System.nanoTime() - begun))
    }
}
