package dev.latencyhiding.coroutines

import dev.latencyhiding.LatencyHidingScheduler
import io.kotest.core.spec.style.StringSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import java.util.concurrent.atomic.AtomicLong
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asContextElement
import kotlinx.coroutines.async
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.slf4j.MDCContext
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.slf4j.LoggerFactory
import org.slf4j.MDC

/**
 * Thread locals and the MDC over a hundred thousand suspensions, of every kind that takes a
 * coroutine from one worker to another: stolen, resumed on a deque that was mugged, come back from
 * elsewhere.
 */
class ContextOverStealsSpec :
    StringSpec({
        val local = ThreadLocal<Int>()

        "the context is right after every suspension" {
            LoggerFactory.getILoggerFactory()
            val scheduler = LatencyHidingScheduler.builder().name("thieves").parallelism(4).build()
            val dispatcher = scheduler.asCoroutineDispatcher()
            val wrong = AtomicLong()
            val moves = AtomicLong()
            val coroutines = 100
            val rounds = times(200)
            on(dispatcher) {
                repeat(coroutines) { i ->
                    launch(local.asContextElement(i) + MDCContext(mapOf("id" to "$i"))) {
                        var thread = Thread.currentThread()
                        fun check() {
                            if (local.get() != i || MDC.get("id") != "$i") wrong.incrementAndGet()
                            if (Thread.currentThread() !== thread) moves.incrementAndGet()
                            thread = Thread.currentThread()
                        }
                        repeat(rounds) { round ->
                            yield()
                            check()
                            async { check() }.await()
                            check()
                            val value = CompletableDeferred<Unit>()
                            launch { value.complete(Unit) }
                            value.touch()
                            check()
                            hideLatency { withContext(Dispatchers.Default) { check() } }
                            check()
                            if (round % 20 == 0) delay(1)
                            check()
                        }
                    }
                    // Those in between have no context of their own and must see none.
                    launch {
                        repeat(rounds) {
                            yield()
                            if (local.get() != null || MDC.get("id") != null) {
                                wrong.incrementAndGet()
                            }
                        }
                    }
                }
            }
            println("${moves.get()} changes of thread, ${scheduler.stats().steals()} steals")
            wrong.get() shouldBe 0
            // Else nothing was tried.
            moves.get() shouldBeGreaterThan coroutines.toLong()
            scheduler.stats().steals() shouldBeGreaterThan 0
            scheduler.close()
        }
    })
