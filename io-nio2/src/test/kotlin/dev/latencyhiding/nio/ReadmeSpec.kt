package dev.latencyhiding.nio

import dev.latencyhiding.coroutines.LatencyHiding
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainInOrder
import io.kotest.matchers.shouldBe
import java.io.File
import java.net.InetSocketAddress
import kotlinx.coroutines.launch

/** The server of the README, and of the page on sockets: the text is what is compiled here. */
class ReadmeSpec :
    FunSpec({
        test("the server of the README echoes") {
            detached(LatencyHiding) {
                val serving = launch { readme() }
                connectWhenUp(InetSocketAddress("localhost", 7007)).use { connection ->
                    connection.writeFully("ping\n")
                    connection.readLine() shouldBe "ping"
                }
                serving.cancel()
            }
        }

        test("the README shows what is compiled here") {
            val shown =
                File("../README.md")
                    .readText()
                    .split("```kotlin\n")
                    .map { it.substringBefore("```") }
                    .single { "Server.listen" in it }
            val compiled = File("src/test/kotlin/dev/latencyhiding/nio/ReadmeSpec.kt").readLines()
            compiled.map { it.trim() } shouldContainInOrder shown.trim().lines().map { it.trim() }
        }
    })

private suspend fun readme() {
    // @formatter:off
    Server.listen(InetSocketAddress("localhost", 7007)).use { server ->
        server.serve(maxConnections = 10_000) { connection -> connection.copyTo(connection) }
    }
    // @formatter:on
}

private suspend fun connectWhenUp(address: InetSocketAddress): Connection {
    while (true) {
        try {
            return Connection.connect(address)
        } catch (_: ConnectionRefusedException) {
            kotlinx.coroutines.delay(1)
        }
    }
}
