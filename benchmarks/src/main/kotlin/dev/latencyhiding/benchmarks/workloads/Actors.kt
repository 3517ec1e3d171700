package dev.latencyhiding.benchmarks.workloads

import java.util.concurrent.atomic.LongAdder
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch

/**
 * A ring of actors with unbounded mailboxes, and tokens that go round: each message wakes one
 * actor, which handles it and sends one on. It shows many coroutines that wait for each other, few
 * of them awake at a time. Bar 4.
 */
internal class Actors : Workload {
    override fun name(): String = "actors"

    override fun shows(): String = "tokens that go round in a ring of actors"

    override fun cases(scale: Scale): List<Case> {
        val actors = scale.pick(20, 200, 1_000)
        val hops = scale.pick(50, 2_000, 100_000)
        return listOf(timed(hasWaitingPart = false) { ring(actors, TOKENS, hops) })
    }

    /** A token is the number of hops that it has left. */
    private suspend fun ring(actors: Int, tokens: Int, hops: Int) {
        val handled = LongAdder()
        val mailboxes = List(actors) { Channel<Int>(Channel.UNLIMITED) }
        val arrived = Channel<Unit>(tokens)
        coroutineScope {
            for ((place, mailbox) in mailboxes.withIndex()) {
                val next = mailboxes[(place + 1) % actors]
                launch {
                    for (left in mailbox) {
                        handled.increment()
                        if (left > 1) next.send(left - 1) else arrived.send(Unit)
                    }
                }
            }
            repeat(tokens) { mailboxes[it * actors / tokens].send(hops) }
            repeat(tokens) { arrived.receive() }
            mailboxes.forEach { it.close() }
        }
        expect(tokens.toLong() * hops, handled.sum())
    }

    private companion object {
        const val TOKENS = 20
    }
}
