package dev.latencyhiding.benchmarks.jmh

import dev.latencyhiding.coroutines.checkpoint
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.runBlocking

internal fun checkpoints(dispatcher: CoroutineDispatcher, times: Int): Int =
    runBlocking(dispatcher) {
        var done = 0
        while (done < times) {
            checkpoint()
            done++
        }
        done
    }
