package dev.latencyhiding.benchmarks.workloads

import java.util.concurrent.atomic.LongAdder
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch

/**
 * 10,000 coroutines that each wait ten times for a millisecond, and compute nothing. It shows the
 * cost of the timer and of coming back from it. Bar 5.
 */
internal class Delays : Workload {
    override fun name(): String = "delay"

    override fun shows(): String = "many coroutines in delay(1)"

    override fun cases(scale: Scale): List<Case> {
        val coroutines = scale.pick(100, 3_000, 10_000)
        return listOf(
            timed { peer ->
                val done = LongAdder()
                coroutineScope {
                    repeat(coroutines) {
                        launch {
                            repeat(WAITS) { peer.await(1) }
                            done.increment()
                        }
                    }
                }
                expect(coroutines.toLong(), done.sum())
            }
        )
    }

    private companion object {
        const val WAITS = 10
    }
}
