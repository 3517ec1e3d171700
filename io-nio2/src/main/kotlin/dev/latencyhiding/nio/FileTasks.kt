package dev.latencyhiding.nio

import dev.latencyhiding.coroutines.touch
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.withContext

/**
 * Awaits the task as latency. A cancelled coroutine asks it to stop and waits until it has: then
 * nobody writes to the file or uses the caller's buffer any more.
 */
internal suspend fun <T> FileTask<T>.awaitEnd(): T =
    try {
        touch()
    } catch (e: CancellationException) {
        withContext(NonCancellable) { handle { _, _ -> }.touch() }
        throw e
    }

/**
 * Awaits the task as latency. A cancelled coroutine asks it to stop and goes on at once: for tasks
 * that change nothing. What they open or lock nevertheless is closed.
 */
internal suspend fun <T> FileTask<T>.awaitOrAbandon(): T =
    try {
        touch()
    } catch (e: CancellationException) {
        closeUnclaimed()
        throw e
    }
