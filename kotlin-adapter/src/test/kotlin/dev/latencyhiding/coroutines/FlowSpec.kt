package dev.latencyhiding.coroutines

import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.StringSpec
import io.kotest.core.spec.style.stringSpec
import io.kotest.matchers.collections.shouldBeStrictlyIncreasing
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.ints.shouldBeInRange
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import java.io.IOException
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.ContinuationInterceptor
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.FlowPreview
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.awaitClose
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.MutableSharedFlow
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.SharingStarted
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.flow.callbackFlow
import kotlinx.coroutines.flow.catch
import kotlinx.coroutines.flow.collectLatest
import kotlinx.coroutines.flow.combine
import kotlinx.coroutines.flow.conflate
import kotlinx.coroutines.flow.debounce
import kotlinx.coroutines.flow.emitAll
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flatMapMerge
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOn
import kotlinx.coroutines.flow.last
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.onSubscription
import kotlinx.coroutines.flow.receiveAsFlow
import kotlinx.coroutines.flow.reduce
import kotlinx.coroutines.flow.retry
import kotlinx.coroutines.flow.sample
import kotlinx.coroutines.flow.shareIn
import kotlinx.coroutines.flow.stateIn
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.takeWhile
import kotlinx.coroutines.flow.timeout
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.flow.zip
import kotlinx.coroutines.launch
import kotlinx.coroutines.plus
import kotlinx.coroutines.yield

/** Flow operators that start coroutines, switch dispatchers or wait for time. */
class FlowSpec : StringSpec({ onEachDispatcher(::flows) })

@OptIn(ExperimentalCoroutinesApi::class, FlowPreview::class)
private fun flows(dispatcher: CoroutineDispatcher): TestFactory = stringSpec {
    "flowOn runs what is above it on the dispatcher, and what is below elsewhere" {
        val above = ConcurrentHashMap.newKeySet<Any>()
        val below = ConcurrentHashMap.newKeySet<Any>()
        suspend fun here(): Any = currentCoroutineContext()[ContinuationInterceptor]!!
        val list =
            on(Dispatchers.IO) {
                (0 until 2000)
                    .asFlow()
                    .onEach { above.add(here()) }
                    .flowOn(dispatcher)
                    .onEach { below.add(here()) }
                    .toList()
            }
        list shouldContainExactly List(2000) { it }
        above shouldBe setOf(dispatcher)
        below shouldBe setOf(Dispatchers.IO)
    }

    "buffers of any size keep the order" {
        on(dispatcher) {
            for (capacity in listOf(Channel.RENDEZVOUS, 1, 16, Channel.UNLIMITED)) {
                (0 until 1000).asFlow().buffer(capacity).toList() shouldContainExactly
                    List(1000) { it }
            }
        }
    }

    "conflate skips, but never the last" {
        on(dispatcher) {
            val seen = (0 until 1000).asFlow().conflate().onEach { yield() }.toList()
            seen.shouldBeStrictlyIncreasing()
            seen.last() shouldBe 999
        }
    }

    "flatMapMerge: every element, at most 5 flows at a time" {
        val crowd = Crowd()
        val all =
            on(dispatcher) {
                (0 until 100)
                    .asFlow()
                    .flatMapMerge(concurrency = 5) { i ->
                        flow {
                            crowd.visit {
                                repeat(10) {
                                    yield()
                                    emit(10 * i + it)
                                }
                                delay(1)
                            }
                        }
                    }
                    .toList()
            }
        all shouldContainExactlyInAnyOrder List(1000) { it }
        crowd.max shouldBeLessThanOrEqual 5
    }

    "debounce waits for silence" {
        on(dispatcher) {
            val events = Channel<Int>(Channel.UNLIMITED)
            val calm = Channel<Int>(Channel.UNLIMITED)
            val collector = launch {
                events.receiveAsFlow().debounce(200.milliseconds).collect { calm.send(it) }
            }
            repeat(10) { events.send(it) }
            calm.receive() shouldBe 9
            repeat(10) { events.send(10 + it) }
            calm.receive() shouldBe 19
            events.close()
            collector.join()
        }
    }

    "sample takes some of many" {
        on(dispatcher) {
            val samples = flow {
                repeat(200) {
                    emit(it)
                    delay(1)
                }
            }
                .sample(20.milliseconds)
                .toList()
            samples.shouldBeStrictlyIncreasing()
            samples.size shouldBeInRange 1..100
        }
    }

    "timeout ends a flow that is silent" {
        on(dispatcher) {
            flow {
                    emit(1)
                    awaitCancellation()
                }
                .timeout(20.milliseconds)
                .catch { emit(-1) }
                .toList() shouldContainExactly listOf(1, -1)
        }
    }

    "stateIn and shareIn start with the first subscriber and are seen by all" {
        on(dispatcher) {
            val sharing = this + Job(coroutineContext[Job])
            val starts = AtomicInteger()
            val source = flow {
                starts.incrementAndGet()
                emitAll((1..100).asFlow())
                awaitCancellation()
            }
            val state = source.stateIn(sharing, SharingStarted.Lazily, 0)
            List(10) { async { state.first { it == 100 } } }.awaitAll()
            starts.get() shouldBe 1
            val shared = source.shareIn(sharing, SharingStarted.Lazily, replay = 100)
            List(10) { async { shared.take(100).toList() } }
                .awaitAll()
                .forEach {
                    it shouldContainExactly List(100) { i -> i + 1 }
                }
            sharing.cancel()
        }
    }

    "a shared flow brings every value to every subscriber" {
        on(dispatcher) {
            val shared = MutableSharedFlow<Int>()
            val ready = Channel<Unit>(Channel.UNLIMITED)
            val lists =
                List(5) {
                    async { shared.onSubscription { ready.send(Unit) }.take(500).toList() }
                }
            repeat(5) { ready.receive() }
            repeat(500) { shared.emit(it) }
            lists.awaitAll().forEach { it shouldContainExactly List(500) { i -> i } }
        }
    }

    "a state flow never goes back" {
        on(dispatcher) {
            val state = MutableStateFlow(0)
            val seen = List(4) { async { state.takeWhile { it < 2000 }.toList() } }
            repeat(2000) { state.value = it + 1 }
            seen.awaitAll().forEach { if (it.size > 1) it.shouldBeStrictlyIncreasing() }
        }
    }

    "callbackFlow takes values from a foreign thread" {
        on(dispatcher) {
            callbackFlow {
                    val thread = Thread {
                        repeat(1000) { trySend(it) }
                        close()
                    }
                    thread.start()
                    awaitClose { thread.join() }
                }
                .buffer(Channel.UNLIMITED)
                .toList() shouldContainExactly List(1000) { it }
        }
    }

    "zip and combine" {
        on(dispatcher) {
            val numbers = (1..500).asFlow().onEach { yield() }
            numbers.zip(numbers) { a, b -> a - b }.toList().toSet() shouldBe setOf(0)
            numbers.combine(numbers) { a, b -> a + b }.last() shouldBe 1000
        }
    }

    "collectLatest abandons what is overtaken" {
        on(dispatcher) {
            val finished = ArrayList<Int>()
            (1..100).asFlow().collectLatest {
                if (it < 100) delay(1.hours)
                finished.add(it)
            }
            finished shouldContainExactly listOf(100)
        }
    }

    "retry, and errors from another dispatcher" {
        on(dispatcher) {
            var attempts = 0
            flow {
                    attempts++
                    emit(attempts)
                    if (attempts < 4) throw IOException()
                }
                .flowOn(Dispatchers.IO)
                .retry(5) { it is IOException }
                .last() shouldBe 4 // an error may overtake what is in the buffer
            attempts shouldBe 4
        }
    }

    "a parallel map over a flow" {
        val sum =
            on(dispatcher) {
                coroutineScope {
                    (1..2000)
                        .asFlow()
                        .map { async { it.toLong() } }
                        .buffer(64)
                        .map { it.await() }
                        .reduce(Long::plus)
                }
            }
        sum shouldBe 2001000
    }
}
