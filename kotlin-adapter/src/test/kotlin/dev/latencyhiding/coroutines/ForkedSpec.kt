package dev.latencyhiding.coroutines

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.StringSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import java.io.File
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.FlowPreview
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.debug.DebugProbes
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.debounce
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.single
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.selects.onTimeout
import kotlinx.coroutines.selects.select
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull

/** What must be looked at in a JVM of its own: which threads exist, and what an agent sees. */
class ForkedSpec :
    StringSpec({
        // Ask 26 of users: no hidden global thread.
        "delay and timeouts need no thread but the scheduler's" {
            val threads = outputOf("timers", "LatencyHiding")
            threads shouldContain "LatencyHiding-worker-1"
            threads shouldContain "LatencyHiding-timer"
            threads shouldNotContain "kotlinx.coroutines.DefaultExecutor"
            threads shouldNotContain "DefaultDispatcher"
        }

        "the control has that thread, which shows that it would be seen" {
            outputOf("timers", "Unconfined") shouldContain "kotlinx.coroutines.DefaultExecutor"
        }

        "the debug probes see a coroutine that waits, and one that runs" {
            for (dispatcher in listOf("LatencyHiding", "Default")) {
                val dump = outputOf("probes", dispatcher)
                withClue(dump) {
                    dump shouldContain Regex("\"waiting#\\d+\":.*, state: SUSPENDED")
                    dump shouldContain Regex("\"running#\\d+\":.*, state: RUNNING")
                    dump shouldContain "ForkedMain.waitForEver"
                    dump shouldContain "ForkedMain.spinUntil"
                    dump shouldContain "nothing left: true"
                }
            }
        }
    })

private fun outputOf(vararg arguments: String): String {
    val process =
        ProcessBuilder(
                File(System.getProperty("java.home"), "bin/java").path,
                "-ea",
                "-XX:+EnableDynamicAgentLoading",
                "-Djdk.attach.allowAttachSelf=true",
                "-cp",
                System.getProperty("java.class.path"),
                ForkedMain::class.java.name,
                *arguments,
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

/** The programs that [ForkedSpec] starts. */
internal object ForkedMain {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val (program, name) = arguments
        val dispatcher =
            when (name) {
                "LatencyHiding" -> LatencyHiding
                "Default" -> Dispatchers.Default
                else -> Dispatchers.Unconfined
            }
        runBlocking(dispatcher) {
            when (program) {
                "timers" -> useTimers()
                else -> useProbes()
            }
        }
    }

    @OptIn(ExperimentalCoroutinesApi::class, FlowPreview::class)
    private suspend fun useTimers() {
        delay(2)
        withTimeoutOrNull(2.milliseconds) { delay(1.hours) }
        withTimeoutOrNull(1.hours) { delay(1) }
        select {
            Channel<Unit>().onReceive {}
            onTimeout(2.milliseconds) {}
        }
        flowOf(1).debounce(2.milliseconds).single()
        Thread.getAllStackTraces().keys.forEach { println(it.name) }
    }

    @OptIn(ExperimentalCoroutinesApi::class)
    private suspend fun useProbes() {
        DebugProbes.install()
        withContext(CoroutineName("main")) {
            val started = Channel<Unit>(2)
            var stop = false
            val waiting =
                launch(CoroutineName("waiting")) {
                    started.send(Unit)
                    waitForEver()
                }
            val running =
                launch(CoroutineName("running")) {
                    started.send(Unit)
                    spinUntil { stop || waiting.isCancelled }
                }
            repeat(2) { started.receive() }
            // "waiting" runs until it waits: a moment after it said so
            while ("SUSPENDED" !in DebugProbes.dumpCoroutinesInfo().stateOf("waiting")) delay(1)
            DebugProbes.dumpCoroutines(System.out)
            stop = true
            waiting.cancelAndJoin()
            running.join()
        }
        val left = DebugProbes.dumpCoroutinesInfo()
        println("nothing left: " + (left.stateOf("waiting") + left.stateOf("running")).isEmpty())
        DebugProbes.uninstall()
    }

    @OptIn(ExperimentalCoroutinesApi::class)
    private fun List<kotlinx.coroutines.debug.CoroutineInfo>.stateOf(name: String): List<String> =
        filter {
            it.context[CoroutineName]?.name == name
        }
        .map { it.state.name }

    private suspend fun waitForEver() {
        awaitCancellation()
    }

    private suspend fun spinUntil(done: () -> Boolean) {
        while (!done()) Thread.onSpinWait()
        delay(1)
    }
}
