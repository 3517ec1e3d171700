package dev.latencyhiding.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.StringSpec
import io.kotest.core.spec.style.stringSpec
import io.kotest.matchers.collections.shouldBeStrictlyIncreasing
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import java.io.IOException
import java.util.concurrent.ConcurrentHashMap
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.channels.BufferOverflow
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.ClosedReceiveChannelException
import kotlinx.coroutines.channels.ClosedSendChannelException
import kotlinx.coroutines.channels.consumeEach
import kotlinx.coroutines.channels.produce
import kotlinx.coroutines.channels.toList
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch

/**
 * Channels resume their receivers and senders from coroutines that run on the same dispatcher, in
 * great numbers: nothing may be lost, doubled or reordered.
 */
class ChannelSpec : StringSpec({ onEachDispatcher(::channels) })

private val lossless =
    mapOf(
        "rendezvous" to Channel.RENDEZVOUS,
        "buffered" to Channel.BUFFERED,
        "unlimited" to Channel.UNLIMITED,
        "capacity 1" to 1,
        "capacity 7" to 7,
    )

@OptIn(ExperimentalCoroutinesApi::class)
private fun channels(dispatcher: CoroutineDispatcher): TestFactory = stringSpec {
    lossless.forEach { (name, capacity) ->
        "$name: every element arrives once, those of a sender in their order" {
            val senders = 4
            val each = times(1000)
            val lists =
                on(dispatcher) {
                    val channel = Channel<Pair<Int, Int>>(capacity)
                    val receivers = List(3) { async { channel.toList() } }
                    coroutineScope {
                        repeat(senders) { s -> launch { repeat(each) { channel.send(s to it) } } }
                    }
                    channel.close()
                    receivers.awaitAll()
                }
            lists.forEach { list ->
                list.groupBy({ it.first }, { it.second }).values.forEach {
                    it.shouldBeStrictlyIncreasing()
                }
            }
            lists.flatten().toSet().size shouldBe senders * each
            lists.sumOf { it.size } shouldBe senders * each
        }
    }

    val lossy =
        mapOf<String, () -> Channel<Int>>(
            "conflated" to { Channel(Channel.CONFLATED) },
            "drop oldest" to { Channel(3, BufferOverflow.DROP_OLDEST) },
            "drop latest" to { Channel(3, BufferOverflow.DROP_LATEST) },
        )
    lossy.forEach { (name, make) ->
        "$name: senders never wait, the order is kept" {
            on(dispatcher) {
                val channel = make()
                val received = async { channel.toList() }
                repeat(times(1000)) { channel.send(it) }
                channel.close()
                received.await().shouldBeStrictlyIncreasing()
            }
        }
    }

    "a conflated channel has the last element" {
        on(dispatcher) {
            val channel = Channel<Int>(Channel.CONFLATED)
            val last = async { channel.toList().last() }
            repeat(1000) { channel.send(it) }
            channel.close()
            last.await() shouldBe 999
        }
    }

    "close lets receivers take the rest, then tells them why" {
        on(dispatcher) {
            val channel = Channel<Int>(10)
            repeat(3) { channel.send(it) }
            channel.close(IOException("end"))
            repeat(3) { channel.receive() shouldBe it }
            shouldThrow<IOException> { channel.receive() }.message shouldBe "end"
            shouldThrow<IOException> { channel.send(1) }
            val plain = Channel<Int>().apply { close() }
            shouldThrow<ClosedReceiveChannelException> { plain.receive() }
            shouldThrow<ClosedSendChannelException> { plain.send(1) }
        }
    }

    "cancel wakes all who wait" {
        on(dispatcher) {
            val channel = Channel<Int>()
            val begun = Channel<Unit>(Channel.UNLIMITED)
            val waiting =
                List(20) {
                    async {
                        begun.send(Unit)
                        runCatching { channel.receive() }.exceptionOrNull()
                    }
                }
            repeat(20) { begun.receive() }
            channel.cancel(CancellationException("no more"))
            waiting.awaitAll().forEach {
                it.shouldBeInstanceOf<CancellationException>().message shouldBe "no more"
            }
        }
    }

    "a pipeline of producers" {
        on(dispatcher) {
            var stage = produce { for (i in 0 until 200) send(i) }
            repeat(50) {
                val before = stage
                stage = produce { before.consumeEach { send(it + 1) } }
            }
            stage.toList() shouldContainExactly List(200) { it + 50 }
        }
    }

    "ping-pong" {
        on(dispatcher) {
            val ping = Channel<Int>()
            val pong = Channel<Int>()
            launch { for (x in ping) pong.send(x + 1) }
            var x = 0
            repeat(times(20_000)) {
                ping.send(x)
                x = pong.receive()
            }
            ping.close()
            x shouldBe times(20_000)
        }
    }

    "an actor owns its state" {
        on(dispatcher) {
            val inbox = Channel<Any>()
            val seen = ConcurrentHashMap.newKeySet<Thread>()
            launch {
                var count = 0
                for (message in inbox) {
                    seen.add(Thread.currentThread())
                    @Suppress("UNCHECKED_CAST")
                    if (message is Int) count += message
                    else (message as CompletableDeferred<Int>).complete(count)
                }
            }
            coroutineScope { repeat(50) { launch { repeat(100) { inbox.send(1) } } } }
            val answer = CompletableDeferred<Int>()
            inbox.send(answer)
            answer.await() shouldBe 5000
            inbox.close()
            seen.isEmpty() shouldBe false
        }
    }
}
