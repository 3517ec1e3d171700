package dev.latencyhiding.coroutines

import dev.latencyhiding.LatencyHidingFuture
import java.util.concurrent.CountDownLatch
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay

/** What a library in Kotlin offers to Java code: suspending functions as futures. */
object Library {
    private suspend fun load(id: Int): String {
        delay(1)
        require(id >= 0) { "id must not be negative: $id" }
        return "page $id"
    }

    @JvmStatic
    fun loadAsync(id: Int): LatencyHidingFuture<String> = LatencyHiding.future { load(id) }

    /** Has begun, and never ends by itself; [cancelled] tells that it was cancelled. */
    @JvmStatic
    fun waitAsync(cancelled: CountDownLatch): LatencyHidingFuture<String> {
        val begun = CountDownLatch(1)
        val future =
            LatencyHiding.future<String> {
                begun.countDown()
                try {
                    awaitCancellation()
                } finally {
                    cancelled.countDown()
                }
            }
        begun.await()
        return future
    }
}
