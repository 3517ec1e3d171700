package dev.latencyhiding.benchmarks.workloads

import java.util.concurrent.atomic.LongAdder
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.yield

/**
 * 100 coroutines that do nothing but `yield()` in turn. It shows the cost of the fair queue. Bar 3.
 */
internal class Yield : Workload {
    override fun name(): String = "yield"

    override fun shows(): String = "100 coroutines that yield to each other"

    override fun cases(scale: Scale): List<Case> {
        val times = scale.pick(20, 1_000, 10_000)
        return listOf(
            timed(hasWaitingPart = false) {
                val done = LongAdder()
                coroutineScope {
                    repeat(COROUTINES) {
                        launch {
                            repeat(times) { yield() }
                            done.add(times.toLong())
                        }
                    }
                }
                expect(COROUTINES.toLong() * times, done.sum())
            }
        )
    }

    private companion object {
        const val COROUTINES = 100
    }
}
