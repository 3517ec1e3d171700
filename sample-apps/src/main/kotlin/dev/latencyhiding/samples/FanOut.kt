package dev.latencyhiding.samples

import dev.latencyhiding.coroutines.LatencyHiding
import dev.latencyhiding.nio.Connection
import dev.latencyhiding.nio.Server
import java.io.IOException
import java.net.InetAddress
import java.net.InetSocketAddress
import java.util.Locale
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.DurationUnit
import kotlin.time.measureTimedValue
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeoutOrNull

/**
 * A service that asks several others at the same time, and answers with the sum of what they know.
 * It waits for each with patience, and goes on without those that are too slow.
 *
 * A request is a line, and so is an answer: try it with `nc 127.0.0.1 PORT`.
 */
internal class FanOut(
    private val backends: List<InetSocketAddress>,
    private val patience: Duration,
) {
    /** The service: for each line it gets, the sum, and how many backends knew something. */
    suspend fun serve(connection: Connection) {
        connection.lines().collect { question ->
            val answers = coroutineScope {
                backends
                    .map { async { withTimeoutOrNull(patience) { ask(it, question) } } }
                    .awaitAll()
            }
            val known = answers.filterNotNull()
            connection.writeFully("${known.sum()} from ${known.size} of ${backends.size}\n")
        }
    }

    private suspend fun ask(backend: InetSocketAddress, question: String): Long? =
        try {
            Connection.connect(backend).use { connection ->
                connection.writeFully("$question\n")
                connection.readLine()?.toLongOrNull()
            }
        } catch (_: IOException) {
            null // one of many
        }

    /** What a client sees of one question. */
    class Reply(val text: String, val time: Duration)

    companion object {
        private const val HELP =
            """A service that asks several others at the same time, and a client that measures it.

  --requests N   how many questions the client asks, all at once, 200 by default
  --backends N   how many services are asked for each, 5 by default
  --latency MS   how long a backend takes, 50 ms by default; one of ten answers takes ten times as long
  --patience MS  how long the service waits for a backend, 200 ms by default
  --help         prints this"""

        @JvmStatic
        fun main(args: Array<String>) {
            val arguments = Arguments(HELP, *args)
            if (arguments.help(System.out)) return
            val requests = arguments.number("--requests", 200, 1, 10_000)
            val backends = arguments.number("--backends", 5, 1, 100)
            val latency = arguments.number("--latency", 50, 0, 60_000)
            val patience = arguments.number("--patience", 200, 1, 60_000)
            arguments.requireNoOthers()
            println(report(run(requests, backends, latency, patience)))
        }

        /** Starts the backends and the service, and asks [requests] questions at the same time. */
        @JvmStatic
        fun run(
            requests: Int,
            backends: Int,
            latencyMillis: Int,
            patienceMillis: Int,
        ): List<Reply> =
            runBlocking(LatencyHiding) {
                val servers = List(backends) { listen() }
                val service = listen()
                val serving = launch {
                    servers.forEach { server ->
                        launch { server.serve { backend(it, latencyMillis.milliseconds) } }
                    }
                    val fanOut =
                        FanOut(servers.map { it.localAddress }, patienceMillis.milliseconds)
                    launch { service.serve { fanOut.serve(it) } }
                }
                val replies =
                    List(requests) { async { question(service.localAddress, "article $it") } }
                        .awaitAll()
                serving.cancel()
                replies
            }

        private fun listen() =
            Server.listen(InetSocketAddress(InetAddress.getLoopbackAddress(), 0), backlog = 1024)

        /** Knows the length of a question, and is slow at times. */
        private suspend fun backend(connection: Connection, latency: Duration) {
            connection.lines().collect { question ->
                val isSlow = question.endsWith("7")
                delay(if (isSlow) latency * 10 else latency)
                connection.writeFully("${question.length}\n")
            }
        }

        private suspend fun question(service: InetSocketAddress, question: String): Reply {
            val (text, time) =
                measureTimedValue {
                    Connection.connect(service).use { connection ->
                        connection.writeFully("$question\n")
                        connection.readLine() ?: throw IOException("the service has hung up")
                    }
                }
            return Reply(text, time)
        }

        @JvmStatic
        fun report(replies: List<Reply>): String {
            val times = replies.map { it.time }.sorted()
            fun quantile(q: Double) =
                "%.0f ms"
                    .format(
                        Locale.ROOT,
                        times[((times.size - 1) * q).toInt()].toDouble(DurationUnit.MILLISECONDS),
                    )
            val kinds = replies.groupingBy { it.text.substringAfter(' ') }.eachCount()
            return "${replies.size} replies: median ${quantile(0.5)}, p99 ${quantile(0.99)}\n" +
                kinds.entries
                    .sortedByDescending { it.value }
                    .joinToString("\n") { (kind, count) ->
                        "  $count with answers $kind backends"
                    }
        }
    }
}
