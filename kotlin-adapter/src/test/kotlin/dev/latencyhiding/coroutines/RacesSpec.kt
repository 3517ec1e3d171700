package dev.latencyhiding.coroutines

import dev.latencyhiding.Policy
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicIntegerArray
import java.util.concurrent.atomic.LongAdder
import kotlin.random.Random
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart.ATOMIC
import kotlinx.coroutines.CoroutineStart.UNDISPATCHED
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.selects.onTimeout
import kotlinx.coroutines.selects.select
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield

/**
 * The end of a wait, its cancellation and its time-out come at the same time, from three threads:
 * each coroutine goes on exactly once, with one of the results, and no deque waits for a node that
 * will not come. Each race is run so often that both results are seen. Not under CLASSIC, where two
 * workers cannot wait for a thousand.
 */
class RacesSpec :
    FunSpec({
        val waits =
            mapOf<String, suspend (Race) -> Unit>(
                "touch of a Deferred" to { it.deferred.touch() },
                "touch of a stage" to { it.future.touch() },
                "hideLatency" to { hideLatency { it.deferred.await() } },
                "hideLatency of a stage in a scope" to
                    {
                        hideLatency { withTimeout(1.minutes) { it.future.touch() } }
                    },
                "a time-out around touch" to
                    {
                        withTimeoutOrNull(it.timeout) { it.deferred.touch() } ?: it.timedOut()
                    },
                "a time-out in hideLatency" to
                    {
                        hideLatency { withTimeoutOrNull(it.timeout) { it.deferred.await() } }
                            ?: it.timedOut()
                    },
                "delay" to { delay(it.timeout) },
                "select" to { it.selectFirst() },
                "select in hideLatency" to { hideLatency { it.selectFirst() } },
            )
        val starts =
            listOf(Policy.PROWS_R, Policy.LHWS).flatMap { policy ->
                listOf("dispatched" to policy, "undispatched" to policy)
            }
        for ((name, wait) in waits) {
            for ((start, policy) in starts) {
                test("$name, $start, $policy: completion, cancellation and time-out") {
                    val outcomes = Outcomes()
                    val rounds = if (policy == Policy.LHWS) scaled(4, 200) else scaled(12, 600)
                    var round = 0
                    onOwnScheduler(deadline = 10.minutes, policy = policy) {
                        // More of them while the same side is always first: that is no race.
                        while (round < rounds || outcomes.kinds() < 2 && round < 100 * rounds) {
                            raceAll(outcomes, start == "undispatched", round++, wait)
                        }
                    }
                    withClue(outcomes) {
                        outcomes.all() shouldBe round.toLong() * RACES
                        outcomes.kinds() shouldBeGreaterThan 1
                    }
                }
            }
        }

        test("a storm of time-outs: each ends by its own") {
            val coroutines = scaled(20_000, 1_000_000)
            val timedOut = LongAdder()
            onOwnScheduler(deadline = 10.minutes) {
                val never = CompletableDeferred<Unit>()
                val all =
                    List(coroutines) { i ->
                        launch {
                            withTimeoutOrNull((i % 20).milliseconds) {
                                when (i % 3) {
                                    0 -> never.touch()
                                    1 -> hideLatency { never.await() }
                                    else -> delay(1.minutes)
                                }
                            } ?: timedOut.increment()
                        }
                    }
                all.joinAll()
            }
            timedOut.sum() shouldBe coroutines
        }

        test("a scheduler is closed in the midst: each coroutine ends, and runs its finally") {
            repeat(scaled(100, 5_000)) { closeInTheMidst(Random(it)) }
        }
    })

private const val RACES = 1_000
private const val LEFT_BEHIND = 100
private const val WAITS = 20

private val threads: ExecutorService =
    Executors.newFixedThreadPool(2) { Thread(it, "racer").apply { isDaemon = true } }

private class Outcomes {
    val completed = LongAdder()
    val timedOut = LongAdder()
    val cancelled = LongAdder()

    fun kinds() = listOf(completed, timedOut, cancelled).count { it.sum() > 0 }

    fun all() = completed.sum() + timedOut.sum() + cancelled.sum()

    override fun toString() = "completed $completed, timed out $timedOut, cancelled $cancelled"
}

private class TimedOut : Exception()

/** An operation that is completed on one thread while its coroutine is cancelled on another. */
private class Race(i: Int) {
    val timeout = (1 + i % 8).milliseconds
    val deferred = CompletableDeferred<Unit>()
    val future = CompletableFuture<Unit>()

    fun complete() {
        deferred.complete(Unit)
        future.complete(Unit)
    }

    fun timedOut(): Nothing = throw TimedOut()

    @OptIn(ExperimentalCoroutinesApi::class)
    suspend fun selectFirst() {
        val other = CompletableDeferred<Unit>()
        deferred.invokeOnCompletion { other.complete(Unit) }
        select {
            deferred.onAwait {}
            other.onAwait {}
            onTimeout(timeout) { timedOut() }
        }
    }
}

@OptIn(DelicateCoroutinesApi::class)
private suspend fun CoroutineScope.raceAll(
    outcomes: Outcomes,
    isUndispatched: Boolean,
    seed: Int,
    wait: suspend (Race) -> Unit,
) {
    val races = List(RACES) { Race(it) }
    val ends = AtomicIntegerArray(RACES)
    // ATOMIC: also those run that are cancelled before they start.
    val start = if (isUndispatched) UNDISPATCHED else ATOMIC
    val jobs = List(RACES) { launch(start = start) { run(races[it], outcomes, ends, it, wait) } }
    val startLine = CyclicBarrier(2)
    fun racer(action: (Int) -> Unit) = threads.execute {
        startLine.await()
        inSomeOrder(seed, action)
    }
    racer { races[it].complete() }
    racer { if (it % 2 == 0) jobs[it].cancel() }
    jobs.joinAll()
    for (i in 0 until RACES) ends[i] shouldBe 1
}

private suspend fun run(
    race: Race,
    outcomes: Outcomes,
    ends: AtomicIntegerArray,
    i: Int,
    wait: suspend (Race) -> Unit,
) {
    try {
        wait(race)
        outcomes.completed.increment()
    } catch (_: TimedOut) {
        outcomes.timedOut.increment()
    } catch (_: CancellationException) {
        outcomes.cancelled.increment()
    } finally {
        ends.incrementAndGet(i)
    }
}

/** The same order on both threads, so that they meet; how far they are apart differs. */
private fun inSomeOrder(seed: Int, action: (Int) -> Unit) {
    val pauses = Random(seed + Thread.currentThread().hashCode())
    for (i in (0 until RACES).shuffled(Random(seed))) {
        repeat(pauses.nextInt(PAUSE)) { Thread.onSpinWait() }
        action(i)
    }
}

private const val PAUSE = 20

@OptIn(DelicateCoroutinesApi::class)
private fun closeInTheMidst(random: Random) {
    val scheduler = newScheduler()
    val dispatcher = scheduler.asCoroutineDispatcher()
    val races = List(LEFT_BEHIND) { Race(it) }
    val begun = AtomicIntegerArray(LEFT_BEHIND)
    val ended = AtomicIntegerArray(LEFT_BEHIND)
    val scope = CoroutineScope(dispatcher)
    val jobs =
        List(LEFT_BEHIND) { i ->
            scope.launch(start = ATOMIC) {
                begun.incrementAndGet(i)
                try {
                    repeat(WAITS) { races[i].anyWait(i) }
                } finally {
                    try {
                        // Cancelled nevertheless if it is rejected; but it must not get stuck.
                        withContext(NonCancellable) {
                            if (i % 2 == 0) delay(1.milliseconds) else yield()
                        }
                    } finally {
                        ended.incrementAndGet(i)
                    }
                }
            }
        }
    threads.execute { races.forEach { it.complete() } }
    repeat(random.nextInt(20_000)) { Thread.onSpinWait() }
    dispatcher.close()
    val allEnded = CountDownLatch(LEFT_BEHIND)
    jobs.forEach { job -> job.invokeOnCompletion { allEnded.countDown() } }
    withClue({ "${jobs.count(Job::isActive)} hang, ${scheduler.stats()}" }) {
        allEnded.await(DEADLINE.inWholeSeconds, TimeUnit.SECONDS) shouldBe true
    }
    for (i in 0 until LEFT_BEHIND) {
        begun[i] shouldBe 1
        ended[i] shouldBe 1
    }
    scheduler.awaitTermination(DEADLINE.inWholeSeconds, TimeUnit.SECONDS) shouldBe true
}

private suspend fun Race.anyWait(i: Int) {
    when (i % 5) {
        0 -> delay(1.milliseconds)
        1 -> deferred.touch()
        2 -> hideLatency { deferred.await() }
        3 -> withTimeoutOrNull(5.seconds) { future.touch() }
        else -> blocking {}
    }
    yield()
}
