package dev.latencyhiding.coroutines

import dev.latencyhiding.LatencyHidingScheduler
import io.kotest.core.spec.style.StringSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.delay
import kotlinx.coroutines.future.future
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield

/**
 * Code that blocks a worker until something else has run on the same dispatcher: with as many of
 * them as workers, `Dispatchers.Default` stands still for ever (kx#3983).
 */
class NestedRunBlockingSpec :
    StringSpec({
        val scheduler = LatencyHidingScheduler.builder().name("nested").parallelism(2).build()
        val dispatcher = scheduler.asCoroutineDispatcher()
        afterSpec { scheduler.close() }

        "inside blocking { }, beside each other: the workers stay free" {
            on(dispatcher) {
                List(2 + 2) { i ->
                        async {
                            blocking {
                                runBlocking {
                                    withContext(dispatcher) {
                                        delay(1)
                                        i
                                    }
                                }
                            }
                        }
                    }
                    .awaitAll()
            } shouldContainExactly List(4) { it }
        }

        "inside blocking { }, one in another" {
            suspend fun nest(depth: Int): Int =
                if (depth == 0) 0
                else blocking { runBlocking { withContext(dispatcher) { nest(depth - 1) } } } + 1
            on(dispatcher) { nest(10) } shouldBe 10
        }

        "without blocking { }, beside each other: spare workers take over" {
            val all =
                CoroutineScope(dispatcher).future {
                    List(100) { i ->
                            async { runBlocking { withContext(dispatcher) { yield().let { i } } } }
                        }
                        .awaitAll()
                }
            // Not in a coroutine: whoever waits must not need the dispatcher.
            all.get(60, TimeUnit.SECONDS) shouldContainExactly List(100) { it }
        }

        "without blocking { }, one in another" {
            fun nest(depth: Int): Int =
                if (depth == 0) 0 else runBlocking(dispatcher) { nest(depth - 1) } + 1
            CompletableFuture.supplyAsync({ nest(20) }, scheduler)
                .get(60, TimeUnit.SECONDS) shouldBe 20
        }

        "when all is over the spare workers leave" {
            waitUntil({ "2 workers: ${scheduler.stats()}" }) { scheduler.stats().workers() == 2 }
        }
    })
