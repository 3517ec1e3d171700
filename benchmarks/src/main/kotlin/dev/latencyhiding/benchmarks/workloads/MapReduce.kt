package dev.latencyhiding.benchmarks.workloads

/**
 * The papers' first figure: 5000 leaves, each of which waits for δ and then computes for about 0.2
 * ms. A scheduler that hides latency needs hardly longer for δ = 100 ms than for none. All leaves
 * begin by waiting, so no schedule can compute during the first δ: the bound is δ plus the work of
 * all leaves on P cores. Bars 6 and 7.
 */
internal class MapReduce : Workload {
    override fun name(): String = "mapreduce"

    override fun shows(): String = "a fork tree whose leaves wait for δ, then compute"

    override fun cases(scale: Scale): List<Case> {
        val leaves = scale.pick(32, 1_000, 5_000)
        val fib = scale.pick(8, 23, 23)
        val latencies = if (scale == Scale.TINY) listOf(0L, 2L) else listOf(0L, 1L, 5L, 50L, 100L)
        return latencies.map { millis ->
            LeavesCase(parametersOf("δ" to "$millis ms"), leaves, Uniform(millis, fib)) { work ->
                millisToNanos(millis) + work
            }
        }
    }

    private class Uniform(private val millis: Long, private val fib: Int) : LeavesCase.Leaf {
        override fun waitMillis(index: Int): Long = millis

        override fun fib(index: Int): Int = fib
    }
}
