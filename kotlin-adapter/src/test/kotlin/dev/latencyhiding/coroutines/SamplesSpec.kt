package dev.latencyhiding.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.StringSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldStartWith
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancel
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.withContext

/** The examples in the documentation of the public functions, as code that compiles and runs. */
class SamplesSpec :
    StringSpec({
        "LatencyHiding: fetch, compute, reduce" {
            detached(Dispatchers.Default) { total(listOf("a", "bb", "ccc")) } shouldBe 14
        }

        "hideLatency: a call of a driver" {
            detached(LatencyHiding) { row(Database()) } shouldBe "row of select 1"
        }

        "checkpoint: a loop that computes" {
            val matrix = List(100) { row -> IntArray(10) { row } }
            detached(LatencyHiding) { multiplyAll(matrix) } shouldBe 49_500
        }

        "checkpoint: ends a cancelled loop" {
            shouldThrow<CancellationException> {
                detached(LatencyHiding) {
                    currentCoroutineContext().cancel()
                    multiplyAll(listOf(IntArray(1)))
                }
            }
        }

        "blocking: a call that blocks" {
            detached(LatencyHiding) {
                val user = blocking { Thread.currentThread().name }
                Thread.currentThread().name shouldStartWith "LatencyHiding-worker-"
                (user != Thread.currentThread().name) shouldBe true
            }
        }
    })

private suspend fun total(urls: List<String>): Long =
    withContext(LatencyHiding) {
        urls.map { url -> async { compute(fetch(url)) } }.sumOf { it.touch() }
    }

private suspend fun fetch(url: String): String {
    delay(1.milliseconds)
    return url
}

private fun compute(page: String): Long = page.length.toLong() * page.length

private class Database {
    suspend fun query(sql: String): String {
        foreignWait()
        return "row of $sql"
    }
}

private suspend fun row(database: Database): String {
    val row = hideLatency { database.query("select 1") }
    return row
}

private suspend fun multiplyAll(matrix: List<IntArray>): Int {
    var sum = 0
    for (row in matrix) {
        sum += row.sum()
        checkpoint()
    }
    return sum
}
