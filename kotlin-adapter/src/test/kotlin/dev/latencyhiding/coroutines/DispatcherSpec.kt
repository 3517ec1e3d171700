package dev.latencyhiding.coroutines

import dev.latencyhiding.LatencyHidingScheduler
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.StringSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldMatch
import io.kotest.matchers.types.shouldBeSameInstanceAs
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asCoroutineDispatcher as asOrdinaryDispatcher
import kotlinx.coroutines.asExecutor
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.delay
import kotlinx.coroutines.isActive
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext

/** What the dispatchers are called, what they are equal to, and which threads they use. */
@OptIn(DelicateCoroutinesApi::class, ExperimentalLatencyHidingApi::class)
class DispatcherSpec :
    StringSpec({
        val scheduler = LatencyHidingScheduler.builder().name("crawler").parallelism(4).build()
        val dispatcher = scheduler.asCoroutineDispatcher()
        afterSpec { scheduler.close() }

        "names of dispatchers and their views" {
            LatencyHiding.toString() shouldBe "Dispatchers.LatencyHiding"
            LatencyHiding.limitedParallelism(1).toString() shouldBe
                "Dispatchers.LatencyHiding.limitedParallelism(1)"
            LatencyHiding.limitedParallelism(1, "sequential").toString() shouldBe "sequential"
            LatencyHiding.limitedParallelism(9999, "wide").toString() shouldBe "wide"
            dispatcher.toString() shouldBe "crawler"
            dispatcher.limitedParallelism(2).toString() shouldBe "crawler.limitedParallelism(2)"
            dispatcher.limitedParallelism(2, "pages").toString() shouldBe "pages"
            dispatcher.limitedParallelism(2).limitedParallelism(1).toString() shouldBe
                "crawler.limitedParallelism(2).limitedParallelism(1)"
        }

        "the name shows in a coroutine's context" {
            on(dispatcher) { coroutineContext.toString() } shouldMatch ".*, crawler]"
        }

        "LatencyHiding is one object, found in two places" {
            Dispatchers.LatencyHiding shouldBeSameInstanceAs LatencyHiding
            LatencyHidingScheduler.shared().asCoroutineDispatcher() shouldBeSameInstanceAs
                LatencyHiding
            LatencyHiding.executor shouldBeSameInstanceAs LatencyHidingScheduler.shared()
        }

        "the executor is the scheduler" {
            dispatcher.executor shouldBeSameInstanceAs scheduler
            dispatcher.asExecutor() shouldBeSameInstanceAs scheduler
        }

        "a dispatcher shows its scheduler" {
            LatencyHiding.scheduler shouldBeSameInstanceAs LatencyHidingScheduler.shared()
            (dispatcher as LatencyHidingDispatcher).scheduler shouldBeSameInstanceAs scheduler
        }

        "a dispatcher made with its own scheduler is as asked for, and closes it" {
            var handled = false
            val made =
                LatencyHidingDispatcher(parallelism = 3, name = "imports") {
                    uncaughtExceptionHandler { _, _ -> handled = true }
                }
            val own = (made as LatencyHidingDispatcher).scheduler
            made.toString() shouldBe "imports"
            own.parallelism() shouldBe 3
            on(made) { Thread.currentThread().name } shouldMatch "imports-worker-[123].*"
            own.execute { error("expected") }
            made.close()
            own.awaitTermination(1, TimeUnit.MINUTES) shouldBe true
            handled shouldBe true
        }

        "a dispatcher with a parallelism or name that cannot be is refused" {
            shouldThrow<IllegalArgumentException> { LatencyHidingDispatcher(0, "none") }
            shouldThrow<IllegalArgumentException> { LatencyHidingDispatcher(1, " ") }
        }

        "the dispatchers of one scheduler are equal, those of two are not" {
            val again = scheduler.asCoroutineDispatcher()
            again shouldBe dispatcher
            again.hashCode() shouldBe dispatcher.hashCode()
            dispatcher shouldNotBe LatencyHiding
            LatencyHiding shouldNotBe dispatcher
            val other = LatencyHidingScheduler.builder().name("crawler").parallelism(4).build()
            other.asCoroutineDispatcher() shouldNotBe dispatcher
            other.close()
            // The coroutine library's own wrapper knows nothing of the scheduler.
            scheduler.asOrdinaryDispatcher() shouldNotBe dispatcher
        }

        "LatencyHiding cannot be closed" {
            shouldThrow<UnsupportedOperationException> { LatencyHiding.close() }.message shouldBe
                "Dispatchers.LatencyHiding cannot be closed"
            shouldThrow<UnsupportedOperationException> {
                LatencyHidingScheduler.shared().asCoroutineDispatcher().close()
            }
            on(LatencyHiding) { isActive } shouldBe true
        }

        "threads carry the name of the scheduler and a number" {
            val barrier = CyclicBarrier(4)
            val names =
                on(dispatcher) {
                    List(4) {
                            async {
                                barrier.await(30, TimeUnit.SECONDS)
                                Thread.currentThread().name.substringBefore(" @")
                            }
                        }
                        .awaitAll()
                }
            // A spare worker may have taken the place of one that waited at the barrier.
            names.forEach { it shouldMatch "crawler-(worker|spare)-\\d+" }
            names.toSet().size shouldBe 4
            on(LatencyHiding) { Thread.currentThread().name } shouldMatch
                "LatencyHiding-(worker|spare)-\\d+( @.*)?"
            on(LatencyHiding) { Thread.currentThread().isDaemon } shouldBe true
        }

        "the timer's thread is called after the scheduler" {
            on(dispatcher) { delay(1) }
            Thread.getAllStackTraces()
                .keys
                .map { it.name }
                .filter {
                    it.startsWith("crawler-") && it.endsWith("timer")
                } shouldContainExactly listOf("crawler-timer")
        }

        // As kx#2771 asks for.
        "the interrupt flag does not leak from one coroutine into the next" {
            val interrupted = AtomicInteger()
            on(dispatcher) {
                repeat(10_000) {
                    launch {
                        if (Thread.currentThread().isInterrupted) interrupted.incrementAndGet()
                        if (it % 2 == 0) Thread.currentThread().interrupt()
                    }
                }
            }
            interrupted.get() shouldBe 0
        }

        // Ask 9 of users: switching to the dispatcher one is on costs nothing.
        "withContext of an equal dispatcher dispatches nothing" {
            val switches = 10_000
            on(dispatcher) {
                val before = scheduler.stats().nodesRun()
                repeat(switches) {
                    withContext(scheduler.asCoroutineDispatcher()) {}
                    withContext(dispatcher + CoroutineName("x")) {}
                }
                // A node or two of others, not one for each switch.
                scheduler.stats().nodesRun() - before shouldBeLessThan 10
            }
        }

        "withContext from another dispatcher does dispatch, which shows that nodes are counted" {
            val before = scheduler.stats().nodesRun()
            on(LatencyHiding) { repeat(100) { withContext(dispatcher) {} } }
            scheduler.stats().nodesRun() - before shouldBe 100
        }
    })
