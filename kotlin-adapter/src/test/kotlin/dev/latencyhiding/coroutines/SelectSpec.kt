package dev.latencyhiding.coroutines

import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.StringSpec
import io.kotest.core.spec.style.stringSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.comparables.shouldBeGreaterThanOrEqualTo
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.TimeSource
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelChildren
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import kotlinx.coroutines.selects.onTimeout
import kotlinx.coroutines.selects.select
import kotlinx.coroutines.selects.selectUnbiased
import kotlinx.coroutines.yield

/** Exactly one clause wins, and the others leave no trace; timeouts use the dispatcher's timer. */
class SelectSpec : StringSpec({ onEachDispatcher(::selects) })

@OptIn(ExperimentalCoroutinesApi::class)
private fun selects(dispatcher: CoroutineDispatcher): TestFactory = stringSpec {
    "onAwait takes the first that is ready" {
        on(dispatcher) {
            repeat(200) { round ->
                val values = List(5) { CompletableDeferred<Int>() }
                val winner =
                    async(start = CoroutineStart.UNDISPATCHED) {
                        select { values.forEach { value -> value.onAwait { it } } }
                    }
                launch { values[round % 5].complete(round) }
                winner.await() shouldBe round
            }
        }
    }

    "onReceive takes every element once from any of the channels" {
        on(dispatcher) {
            val channels = List(3) { Channel<Int>(it) }
            val senders = channels.mapIndexed { c, channel ->
                launch { repeat(1000) { channel.send(3 * it + c) } }
            }
            val received = List(3000) { select { channels.forEach { c -> c.onReceive { it } } } }
            received shouldContainExactlyInAnyOrder List(3000) { it }
            senders.forEach { it.join() }
        }
    }

    "onSend gives every element once to any of the channels" {
        on(dispatcher) {
            val channels = List(3) { Channel<Int>() }
            val receivers = channels.map { channel ->
                async {
                    var sum = 0L
                    for (x in channel) sum += x
                    sum
                }
            }
            repeat(3000) { x -> select { channels.forEach { c -> c.onSend(x) {} } } }
            channels.forEach { it.close() }
            receivers.awaitAll().sum() shouldBe 3000L * 2999 / 2
        }
    }

    "onReceiveCatching sees the end" {
        on(dispatcher) {
            val channel = Channel<Int>()
            launch {
                channel.send(1)
                channel.close()
            }
            val seen = List(2) { select { channel.onReceiveCatching { it.getOrNull() } } }
            seen shouldContainExactly listOf(1, null)
        }
    }

    "onTimeout fires after its time" {
        on(dispatcher) {
            val start = TimeSource.Monotonic.markNow()
            select {
                Channel<String>().onReceive { it }
                onTimeout(15.milliseconds) { "timeout" }
            } shouldBe "timeout"
            start.elapsedNow() shouldBeGreaterThanOrEqualTo 15.milliseconds
        }
    }

    "onTimeout loses to what comes in time, and zero wins at once" {
        on(dispatcher) {
            select {
                async { "value" }.onAwait { it }
                onTimeout(1.hours) { "timeout" }
            } shouldBe "value"
            select {
                onTimeout(0.milliseconds) { "timeout" }
                CompletableDeferred("value").onAwait { it }
            } shouldBe "timeout"
        }
    }

    "onJoin waits for the end of a job" {
        on(dispatcher) {
            val job = launch { repeat(3) { yield() } }
            select {
                Job().onJoin { "other" }
                job.onJoin { "job" }
            } shouldBe "job"
            job.isCompleted shouldBe true
        }
    }

    "the losers of a race are cancelled by whoever selects" {
        on(dispatcher) {
            repeat(100) {
                coroutineScope {
                    val racers =
                        List(4) { i ->
                            async {
                                if (i > 0) delay(1.hours)
                                i
                            }
                        }
                    val winner = select { racers.forEach { racer -> racer.onAwait { it } } }
                    coroutineContext.job.cancelChildren()
                    winner shouldBe 0
                }
            }
        }
    }

    "select prefers the first clause, selectUnbiased none" {
        on(dispatcher) {
            val ready = List(2) { CompletableDeferred(it) }
            List(100) { select { ready.forEach { r -> r.onAwait { it } } } }.sum() shouldBe 0
            val ones =
                List(200) { selectUnbiased { ready.forEach { r -> r.onAwait { it } } } }.sum()
            ones shouldBeGreaterThan 0
            (200 - ones) shouldBeGreaterThan 0
        }
    }
}
