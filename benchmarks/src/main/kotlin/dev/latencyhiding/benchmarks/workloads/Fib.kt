package dev.latencyhiding.benchmarks.workloads

import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope

/**
 * The naive Fibonacci numbers by `async` and `await`, without a cut-off: nothing but forks and
 * joins, which no sane program has. It shows the cost of a fork, and bar 1 asks for the cheapest.
 */
internal class Fib : Workload {
    override fun name(): String = "fib"

    override fun shows(): String = "forks and joins by async and await"

    override fun cases(scale: Scale): List<Case> {
        val n = scale.pick(10, 20, 23)
        return listOf(timed(nothingWaits = true) { expect(fibonacci(n), forked(n)) })
    }

    private suspend fun forked(n: Int): Long =
        if (n < 2) n.toLong()
        else
            coroutineScope {
                val left = async { forked(n - 1) }
                val right = async { forked(n - 2) }
                left.await() + right.await()
            }
}
