package dev.latencyhiding.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.booleans.shouldBeFalse
import io.kotest.matchers.booleans.shouldBeTrue
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldMatch
import io.kotest.matchers.string.shouldStartWith
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.CountDownLatch
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.asContextElement
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield

/**
 * `blocking` keeps code that blocks its thread off the workers: they compute on meanwhile. The
 * block is still a part of the coroutine: its context, its exceptions, its cancellation.
 */
class BlockingSpec :
    FunSpec({
        val own = newScheduler()
        afterSpec { own.close() }

        for ((name, context) in dispatchersAround(own)) {
            test("on $name: values and exceptions") {
                detached(context) {
                    blocking { 1 } shouldBe 1
                    shouldThrow<IllegalStateException> { blocking<Int> { error("no") } }
                        .message shouldBe "no"
                }
            }

            test("on $name: thread locals of the context are those of the coroutine") {
                val user = ThreadLocal<String>()
                detached(context) {
                    withContext(user.asContextElement("ann")) {
                        blocking { user.get() } shouldBe "ann"
                        user.get() shouldBe "ann"
                    }
                }
            }

            test("on $name: cancellation interrupts the block, and waits for its end") {
                detached(context) {
                    val entered = CompletableDeferred<Unit>()
                    val interrupted = CompletableDeferred<Unit>()
                    val mayEnd = AtomicBoolean()
                    val hasEnded = AtomicBoolean()
                    val job = launch {
                        blocking {
                            entered.complete(Unit)
                            try {
                                CountDownLatch(1).await()
                            } catch (_: InterruptedException) {
                                interrupted.complete(Unit)
                            }
                            spinUntil("the test lets it end") { mayEnd.get() }
                            hasEnded.set(true)
                        }
                    }
                    entered.await()
                    job.cancel()
                    interrupted.await()
                    job.isCompleted.shouldBeFalse()
                    mayEnd.set(true)
                    job.join()
                    hasEnded.get().shouldBeTrue()
                }
            }
        }

        test("many calls block at the same time, and the one worker computes on") {
            val calls = 50
            val barrier = CyclicBarrier(calls + 1)
            onOwnScheduler(parallelism = 1) { scheduler ->
                val all = List(calls) { async { blocking { barrier.await(60, TimeUnit.SECONDS) } } }
                while (barrier.numberWaiting < calls) yield()
                Thread.currentThread().name shouldStartWith "${scheduler.name()}-worker-"
                blocking { barrier.await(60, TimeUnit.SECONDS) }
                all.awaitAll().size shouldBe calls
            }
        }

        test("it runs on virtual threads where there are some, else on threads of the pool") {
            val thread = detached(LatencyHiding) { blocking { Thread.currentThread() } }
            if (Runtime.version().feature() >= 21) {
                Thread::class.java.getMethod("isVirtual").invoke(thread) shouldBe true
            } else {
                thread.name shouldMatch "LatencyHiding-blocking-\\d+( .*)?"
                thread.isDaemon shouldBe true
            }
        }

        test("the pool has 64 threads at most; more calls queue, and all run") {
            val pool = BlockingDispatcher.elasticPool()
            try {
                val calls = 200
                val gate = CountDownLatch(1)
                val running = AtomicInteger()
                val most = AtomicInteger()
                val ran = CountDownLatch(calls)
                val names = ConcurrentHashMap.newKeySet<String>()
                repeat(calls) {
                    pool.execute {
                        most.accumulateAndGet(running.incrementAndGet(), ::maxOf)
                        names += Thread.currentThread().name
                        gate.await()
                        running.decrementAndGet()
                        ran.countDown()
                    }
                }
                waitUntil({ "64 run: $running" }) { running.get() == 64 }
                pool.queue.size shouldBe calls - 64
                gate.countDown()
                ran.await(60, TimeUnit.SECONDS).shouldBeTrue()
                most.get() shouldBe 64
                names shouldContainExactlyInAnyOrder (1..64).map { "LatencyHiding-blocking-$it" }
            } finally {
                pool.shutdownNow()
            }
        }
    })
