package dev.latencyhiding.nio

import dev.latencyhiding.coroutines.LatencyHiding
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.core.test.Enabled
import io.kotest.matchers.shouldBe
import java.net.InetSocketAddress
import java.net.Socket
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext

/** Servers, and peers that this project did not write. */
class ServerSpec :
    FunSpec({
        for (connections in listOf(1, 100, 5_000)) {
            // Both ends are in this process.
            val needed = connections * 2L + 500
            val isPossible = maxDescriptors() >= needed
            test("an echo server with $connections connections at a time").config(
                enabledOrReasonIf = {
                    if (isPossible) Enabled.enabled
                    else Enabled.disabled("needs $needed descriptors (ulimit -n)")
                }
            ) {
                val before = openDescriptors()
                val lent = BufferPool.SHARED.lent()
                onOwnScheduler {
                    Server.listen(anyPort(), backlog = 5_000).use { server ->
                        val serving = launch { server.serve { it.copyTo(it) } }
                        val clients =
                            (0 until connections).map { async { connectTo(server) } }.awaitAll()
                        clients
                            .mapIndexed { i, client ->
                                launch { client.use { it.echo("number $i", 3) } }
                            }
                            .joinAll()
                        server.close()
                        serving.join()
                    }
                }
                waitUntil({ "descriptors $before, now ${openDescriptors()}" }) {
                    openDescriptors() <= before + 3
                }
                waitUntil({ "buffers $lent, now ${BufferPool.SHARED.lent()}" }) {
                    BufferPool.SHARED.lent() <= lent
                }
            }
        }

        test("no more connections at a time than allowed; the others wait and are served") {
            detached(LatencyHiding) {
                Server.listen(anyPort()).use { server ->
                    val now = AtomicInteger()
                    val most = AtomicInteger()
                    val serving = launch {
                        server.serve(maxConnections = 3) {
                            most.accumulateAndGet(now.incrementAndGet(), ::maxOf)
                            it.copyTo(it)
                            now.decrementAndGet()
                        }
                    }
                    val clients = List(20) { connectTo(server) }
                    // All are connected, as far as the system is concerned; three are served.
                    clients.take(3).forEach { it.echo("x", 1) }
                    now.get() shouldBe 3
                    clients.forEach { client -> client.use { it.echo("x", 5) } }
                    most.get() shouldBe 3
                    server.close()
                    serving.join()
                }
            }
        }

        test("close stops listening, and serve returns when the last is served") {
            detached(LatencyHiding) {
                val server = Server.listen(anyPort())
                val serving = launch { server.serve { it.copyTo(it) } }
                connectTo(server).use { client ->
                    client.echo("before", 1)
                    server.close()
                    client.echo("after", 1)
                    serving.isActive shouldBe true
                    shouldThrow<ConnectionRefusedException> { connectTo(server) }
                }
                serving.join()
                serving.isCancelled shouldBe false
            }
        }

        test("cancelling serve cancels those who serve, and closes everything") {
            detached(LatencyHiding) {
                val server = Server.listen(anyPort())
                val serving = launch { server.serve { it.copyTo(it) } }
                connectTo(server).use { client ->
                    client.echo("x", 1)
                    serving.cancelAndJoin()
                    client.readLine() shouldBe null
                }
                shouldThrow<ConnectionRefusedException> { connectTo(server) }
            }
        }

        test("a peer that resets, and a handler that fails, do not disturb others") {
            val failures = AtomicInteger()
            val handler =
                kotlinx.coroutines.CoroutineExceptionHandler { _, _ -> failures.incrementAndGet() }
            detached(LatencyHiding + handler) {
                Server.listen(anyPort()).use { server ->
                    val serving = launch {
                        server.serve {
                            check(it.readLine() != "fail") { "as asked" }
                            it.copyTo(it)
                        }
                    }
                    connectTo(server).use { client ->
                        client.writeFully("\n")
                        client.echo("x", 1)
                        withContext(Dispatchers.IO) {
                            repeat(20) {
                                Socket(LOOPBACK, server.localAddress.port).apply {
                                    getOutputStream().write("\nabc".toByteArray())
                                    reset()
                                }
                            }
                        }
                        connectTo(server).use {
                            it.writeFully("fail\n")
                            it.readLine() shouldBe null
                        }
                        client.echo("y", 1)
                    }
                    server.close()
                    serving.join()
                    failures.get() shouldBe 1
                }
            }
        }

        test("a flow of connections: the collector asks for each, and owns it") {
            detached(LatencyHiding) {
                Server.listen(anyPort()).use { server ->
                    val clients = async { List(3) { connectTo(server) } }
                    val accepted = server.connections().take(2).toList()
                    clients.await().forEach { it.close() }
                    accepted.forEach {
                        it.readLine() shouldBe null
                        it.close()
                    }
                    // The third is still in the listen queue.
                    server.connections().take(1).toList().forEach { it.close() }
                }
            }
        }

        test("the JDK's HttpClient") {
            withHttpServer { address ->
                val response =
                    HttpClient.newHttpClient()
                        .send(
                            HttpRequest.newBuilder(URI("http://localhost:${address.port}/abc"))
                                .build(),
                            HttpResponse.BodyHandlers.ofString(),
                        )
                response.statusCode() shouldBe 200
                response.body() shouldBe "GET /abc HTTP/1.1\n"
            }
        }

        test("curl").config(enabledOrReasonIf = { needs("curl") }) {
            withHttpServer { address ->
                run("curl", "-sS", "http://127.0.0.1:${address.port}/abc") shouldBe
                    "GET /abc HTTP/1.1\n"
            }
        }
    })

private suspend fun connectTo(server: Server) = Connection.connect(server.localAddress)

internal suspend fun Connection.echo(text: String, times: Int) {
    repeat(times) {
        writeFully("$text\n")
        readLine() shouldBe text
    }
}

/** Answers each request with its first line. */
internal suspend fun Connection.answerHttp() {
    val request = readLine(ending = LineEnding.CRLF) ?: return
    while (readLine(ending = LineEnding.CRLF)!!.isNotEmpty()) {
        // the headers
    }
    val body = "$request\n"
    write("HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n")
    writeFully(body)
    shutdownOutput()
}

private suspend fun withHttpServer(block: suspend (InetSocketAddress) -> Unit) =
    detached(LatencyHiding) {
        Server.listen(anyPort()).use { server ->
            val serving = launch { server.serve { it.answerHttp() } }
            withContext(Dispatchers.IO) { block(server.localAddress) }
            server.close()
            serving.join()
        }
    }

internal fun needs(program: String): Enabled =
    try {
        ProcessBuilder(program, "--version").start().waitFor()
        Enabled.enabled
    } catch (_: java.io.IOException) {
        Enabled.disabled("there is no $program here")
    }

internal fun run(vararg command: String, input: String = ""): String {
    val process = ProcessBuilder(*command).redirectErrorStream(true).start()
    process.outputStream.use { it.write(input.toByteArray()) }
    return String(process.inputStream.readAllBytes()).also { process.waitFor() }
}
