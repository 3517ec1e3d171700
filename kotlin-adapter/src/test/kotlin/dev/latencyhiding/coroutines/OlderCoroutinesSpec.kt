package dev.latencyhiding.coroutines

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.StringSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import java.io.File
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeoutException
import kotlin.coroutines.Continuation
import kotlin.coroutines.startCoroutine
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.async
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield

/**
 * The dispatcher implements an internal interface of the library: it must fit older versions, too.
 */
class OlderCoroutinesSpec :
    StringSpec({
        val jars =
            File(System.getProperty("latencyhiding.test.older.coroutines"))
                .listFiles { file -> file.name.endsWith(".jar") }
                .orEmpty()
                .sorted()

        "there are older versions to test with" { jars shouldHaveSize 2 }

        for (jar in jars) {
            "runs with ${jar.nameWithoutExtension}" { outputWith(jar) shouldContain "all is well" }
        }
    })

private fun outputWith(coroutines: File): String {
    val current = Regex("kotlinx-coroutines-(core|test|debug|slf4j).*\\.jar")
    val others =
        System.getProperty("java.class.path").split(File.pathSeparator).filterNot {
            File(it).name.matches(current)
        }
    val process =
        ProcessBuilder(
                File(System.getProperty("java.home"), "bin/java").path,
                "-cp",
                (others + coroutines.path).joinToString(File.pathSeparator),
                OlderCoroutinesMain::class.java.name,
            )
            .redirectErrorStream(true)
            .start()
    val output = process.inputStream.bufferedReader().readText()
    withClue(output) {
        process.waitFor(60, TimeUnit.SECONDS) shouldBe true
        process.exitValue() shouldBe 0
    }
    return output
}

/** Uses all of the dispatcher; of the library only what older versions have in the same form. */
internal object OlderCoroutinesMain {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val done = CompletableFuture<Unit>()
        ::useAll.startCoroutine(
            Continuation(LatencyHiding) { result ->
                result.fold(done::complete, done::completeExceptionally)
            }
        )
        try {
            done.get(30, TimeUnit.SECONDS)
            println("all is well")
        } catch (e: TimeoutException) {
            println("a coroutine did not come back: " + LatencyHiding.executor)
            throw e
        }
    }

    private suspend fun useAll() = coroutineScope {
        check(Thread.currentThread().name.startsWith("LatencyHiding-worker-"))
        delay(1)
        yield()
        checkpoint()
        check(withTimeoutOrNull(5.milliseconds) { delay(60_000) } == null)
        check(withTimeoutOrNull(60_000) { delay(1) } != null)
        check(List(100) { async { fib(10) } }.sumOf { it.await() } == 5500)
        check(blocking { 6 } == 6)
        check(async { delay(1).let { 7 } }.touch() == 7)
        check(CompletableFuture.supplyAsync { 8 }.touch() == 8)
        check(LatencyHiding.future { delay(1).let { 9 } }.get() == 9)
        val answer = CompletableDeferred<Int>()
        launch { answer.complete(10) }
        check(hideLatency { answer.await() } == 10)
        val channel = Channel<Int>()
        launch { repeat(1000) { channel.send(it) } }
        repeat(1000) { check(channel.receive() == it) }
        check(Thread.currentThread().name.startsWith("LatencyHiding-worker-"))
    }

    private suspend fun fib(n: Int): Int {
        yield()
        return if (n < 2) n else fib(n - 1) + fib(n - 2)
    }
}
