package dev.latencyhiding.benchmarks.workloads

import dev.latencyhiding.benchmarks.peers.Peer
import dev.latencyhiding.coroutines.touch
import java.util.concurrent.CompletableFuture
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.atomic.LongAdder
import kotlin.concurrent.thread
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext

/**
 * Coroutines that wait for futures which threads of another library complete: what every client of
 * a database or a broker does. It shows the way back from a foreign thread. `touch` is `await` on
 * all dispatchers but ours. Bar 11.
 */
internal class External : Workload {
    override fun name(): String = "external"

    override fun shows(): String = "futures that foreign threads complete"

    override fun cases(scale: Scale): List<Case> {
        val waits = scale.pick(10, 200, 10_000)
        return listOf(case { peer -> run(peer, waits) })
    }

    private fun run(peer: Peer, waits: Int): List<Sample> {
        val requests = LinkedBlockingQueue<CompletableFuture<Int>>()
        val servers = List(SERVERS) { thread { serve(requests) } }
        val answers = LongAdder()
        val begun = System.nanoTime()
        runBlocking(peer.dispatcher) { ask(peer, requests, waits, answers) }
        val took = System.nanoTime() - begun
        repeat(SERVERS) { requests.add(STOP) }
        servers.forEach { it.join() }
        expect(COROUTINES.toLong() * waits, answers.sum())
        return listOf(Sample.time(took))
    }

    private suspend fun ask(
        peer: Peer,
        requests: LinkedBlockingQueue<CompletableFuture<Int>>,
        waits: Int,
        answers: LongAdder,
    ): Unit = coroutineScope {
        repeat(COROUTINES) {
            launch {
                repeat(waits) {
                    val future = CompletableFuture<Int>().also(requests::add)
                    val answer =
                        if (peer.waitsElsewhere()) withContext(peer.waiting) { future.touch() }
                        else future.touch()
                    answers.add(answer.toLong())
                }
            }
        }
    }

    private fun serve(requests: LinkedBlockingQueue<CompletableFuture<Int>>) {
        while (true) {
            val request = requests.take()
            if (request === STOP) return
            request.complete(1)
        }
    }

    private companion object {
        const val COROUTINES = 100
        const val SERVERS = 2
        val STOP = CompletableFuture<Int>()
    }
}
