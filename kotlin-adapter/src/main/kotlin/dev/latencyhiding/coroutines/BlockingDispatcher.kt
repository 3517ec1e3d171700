package dev.latencyhiding.coroutines

import java.util.concurrent.Executor
import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.ThreadPoolExecutor
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.CoroutineDispatcher

/** Where [blocking] runs. */
internal object BlockingDispatcher : CoroutineDispatcher() {
    /** Threads of the pool on a JDK without virtual threads; more calls wait in a queue. */
    private const val MAX_THREADS = 64
    private const val KEEP_ALIVE_SECONDS = 5L

    private val executor: Executor by lazy { virtualThreads() ?: elasticPool() }

    override fun dispatch(context: CoroutineContext, block: Runnable) {
        executor.execute(block)
    }

    /** By reflection, since the code is compiled for JDK 17. */
    private fun virtualThreads(): Executor? =
        try {
            Executors::class.java.getMethod("newVirtualThreadPerTaskExecutor").invoke(null)
                as ExecutorService
        } catch (_: NoSuchMethodException) {
            null
        }

    internal fun elasticPool(): ThreadPoolExecutor {
        val count = AtomicInteger()
        val pool =
            ThreadPoolExecutor(
                MAX_THREADS,
                MAX_THREADS,
                KEEP_ALIVE_SECONDS,
                TimeUnit.SECONDS,
                LinkedBlockingQueue(),
            ) { task ->
                Thread(task, "LatencyHiding-blocking-${count.incrementAndGet()}").apply {
                    isDaemon = true
                }
            }
        pool.allowCoreThreadTimeOut(true)
        return pool
    }

    override fun toString(): String = "LatencyHiding.blocking"
}
