package dev.latencyhiding.benchmarks.workloads

import kotlin.random.Random

/**
 * The parameter sweep of the ProWS-R author: 610 leaves that wait for a millisecond with
 * probability p and compute for about as long otherwise. It shows that waiting and computing
 * overlap at every mixture. The bound is max(T₁/P, T∞). Bar 8.
 */
internal class Sweep : Workload {
    override fun name(): String = "sweep"

    override fun shows(): String = "leaves that wait with probability p, or else compute"

    override fun cases(scale: Scale): List<Case> {
        val leaves = scale.pick(40, 200, 610)
        val fib = scale.pick(8, 27, 27)
        return listOf(0, 25, 50, 75, 100).map { percent ->
            LeavesCase(
                parametersOf("p" to "%3d %%".format(percent)),
                leaves,
                Mixed(leaves, percent, fib),
            ) { work ->
                if (percent == 0) work else maxOf(work, millisToNanos(WAIT_MILLIS))
            }
        }
    }

    /** The same leaves wait in every run, on every dispatcher. */
    private class Mixed(leaves: Int, percent: Int, private val fib: Int) : LeavesCase.Leaf {
        private val waits =
            Random(SEED).let { random -> BooleanArray(leaves) { random.nextInt(100) < percent } }

        override fun waitMillis(index: Int): Long = if (waits[index]) WAIT_MILLIS else 0

        override fun fib(index: Int): Int = if (waits[index]) 0 else fib
    }

    private companion object {
        const val WAIT_MILLIS = 1L
        const val SEED = 610
    }
}
