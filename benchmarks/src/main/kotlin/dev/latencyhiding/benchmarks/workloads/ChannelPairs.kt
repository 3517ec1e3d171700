package dev.latencyhiding.benchmarks.workloads

import java.util.concurrent.atomic.LongAdder
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch

/**
 * A sender and a receiver on a rendezvous channel; one such pair, and as many as there are workers.
 * A lone pair is fastest when both stay on one worker; several pairs want a worker each. Bar 4.
 */
internal class ChannelPairs : Workload {
    override fun name(): String = "channel"

    override fun shows(): String = "ping-pong over rendezvous channels"

    override fun cases(scale: Scale): List<Case> {
        val messages = scale.pick(500, 30_000, 300_000)
        return listOf(
            timed("pairs" to "1", hasWaitingPart = false) { pairs(1, messages) },
            timed("pairs" to "P", hasWaitingPart = false) { peer ->
                pairs(peer.parallelism, messages)
            },
        )
    }

    /**
     * Each pair is made by a coroutine of its own: if one made them all, they would share cache
     * lines, and that would be measured.
     */
    private suspend fun pairs(pairs: Int, messages: Int) {
        val received = LongAdder()
        coroutineScope { repeat(pairs) { launch { pair(messages, received) } } }
        expect(pairs * (messages * (messages + 1L) / 2), received.sum())
    }

    private suspend fun pair(messages: Int, received: LongAdder) = coroutineScope {
        val channel = Channel<Int>()
        launch {
            for (i in 1..messages) channel.send(i)
            channel.close()
        }
        launch {
            var sum = 0L
            for (i in channel) sum += i
            received.add(sum)
        }
    }
}
