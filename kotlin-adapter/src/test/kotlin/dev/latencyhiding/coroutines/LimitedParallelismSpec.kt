package dev.latencyhiding.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.StringSpec
import io.kotest.core.spec.style.stringSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield

/**
 * A view with limited parallelism runs at most so many coroutines at a time, however often they
 * wait or block, and reaches that number.
 */
class LimitedParallelismSpec : StringSpec({ onEachDispatcher(::limitedParallelism) })

private fun limitedParallelism(dispatcher: CoroutineDispatcher): TestFactory = stringSpec {
    for (n in 1..4) {
        "at most $n compute at a time" {
            val crowd = Crowd()
            val view = dispatcher.limitedParallelism(n)
            on(view) {
                repeat(200) {
                    launch {
                        crowd.visit { spin(20_000) }
                        yield()
                        crowd.visit { spin(20_000) }
                        delay(1)
                        crowd.visit { spin(20_000) }
                    }
                }
            }
            crowd.max shouldBeLessThanOrEqual n
        }
    }

    "at most 2 block at a time" {
        val crowd = Crowd()
        on(dispatcher.limitedParallelism(2)) {
            // That a visitor keeps its thread for a while is what is tried here.
            repeat(6) { launch { crowd.visit { Thread.sleep(40) } } }
        }
        crowd.max shouldBe 2
    }

    "a view of 2 does run 2 at a time" {
        val both = CountDownLatch(2)
        on(dispatcher.limitedParallelism(2)) {
            List(2) {
                    async {
                        both.countDown()
                        both.await(30, TimeUnit.SECONDS)
                    }
                }
                .awaitAll()
        } shouldContainExactly listOf(true, true)
    }

    "a view of 1 needs no synchronisation, and keeps the order" {
        var count = 0
        val order = ArrayList<Int>()
        on(dispatcher.limitedParallelism(1)) {
            repeat(2000) {
                launch {
                    order.add(it)
                    count++
                    yield()
                    count++
                }
            }
        }
        count shouldBe 4000
        order shouldContainExactly List(2000) { it }
    }

    "the views of one dispatcher do not limit each other" {
        val both = CountDownLatch(2)
        on(dispatcher) {
            List(2) {
                    async(dispatcher.limitedParallelism(1)) {
                        both.countDown()
                        both.await(30, TimeUnit.SECONDS)
                    }
                }
                .awaitAll()
        } shouldContainExactly listOf(true, true)
    }

    "a view of a view has the smaller limit" {
        val inner = Crowd()
        val outer = Crowd()
        val two = dispatcher.limitedParallelism(2)
        val one = two.limitedParallelism(1)
        on(dispatcher) {
            repeat(100) {
                launch(two) { outer.visit { spin(20_000) } }
                launch(one) { outer.visit { inner.visit { spin(20_000) } } }
            }
        }
        inner.max shouldBe 1
        outer.max shouldBeLessThanOrEqual 2
    }

    "going in and out of a view" {
        val crowd = Crowd()
        val view = dispatcher.limitedParallelism(1)
        on(dispatcher) {
            List(50) { i ->
                    async {
                        var sum = 0
                        repeat(20) { sum += withContext(view) { crowd.visit { i } } }
                        sum
                    }
                }
                .awaitAll()
        } shouldContainExactly List(50) { 20 * it }
        crowd.max shouldBe 1
    }

    "an endless loop of yields in a view lets the others in it run" {
        on(dispatcher.limitedParallelism(1)) {
            var stop = false
            val loop = launch { while (!stop) yield() }
            launch { stop = true }.join()
            loop.join()
        }
    }

    "less than one is refused" {
        shouldThrow<IllegalArgumentException> { dispatcher.limitedParallelism(0) }
        shouldThrow<IllegalArgumentException> { dispatcher.limitedParallelism(-1, "none") }
    }
}
