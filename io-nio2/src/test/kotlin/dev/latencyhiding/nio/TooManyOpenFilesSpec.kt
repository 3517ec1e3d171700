package dev.latencyhiding.nio

import dev.latencyhiding.coroutines.LatencyHiding
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import java.io.File
import java.net.InetSocketAddress
import java.net.ServerSocket
import java.nio.channels.AsynchronousSocketChannel
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.async
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch

/** Failures that the system must be brought to: each is the documented exception. */
class TooManyOpenFilesSpec :
    FunSpec({
        test("a process without descriptors") {
            val java = Path.of(System.getProperty("java.home"), "bin", "java").toString()
            val process =
                ProcessBuilder(
                        "sh",
                        "-c",
                        "ulimit -n 200 && exec \"$0\" -cp \"$1\" ${FewDescriptors::class.java.name}",
                        java,
                        System.getProperty("java.class.path"),
                    )
                    .redirectErrorStream(true)
                    .start()
            val said = process.inputStream.bufferedReader().readText()
            process.waitFor(DEADLINE.inWholeSeconds, TimeUnit.SECONDS) shouldBe true
            said shouldContain FewDescriptors.DONE
        }

        test("unreachable: a network that no connection can lead to") {
            val multicast = InetSocketAddress("224.0.0.1", 9)
            val before = openDescriptors()
            onOwnScheduler {
                val e = shouldThrow<HostUnreachableException> { Connection.connect(multicast) }
                e.peer shouldBe multicast
                e.message shouldContain "connect to $multicast: unreachable"
            }
            waitUntil({ "descriptors $before, now ${openDescriptors()}" }) {
                openDescriptors() <= before
            }
        }

        // The system takes two minutes to give up.
        test("timed out: a peer that never answers").config(
            enabled = System.getProperty("latencyhiding.stress") == "long"
        ) {
            ServerSocket(0, 1, LOOPBACK).use { server ->
                val address = server.localSocketAddress as InetSocketAddress
                val sockets = List(8) { IoGroup.shared().openSocket() }
                val outcomes = sockets.map { socket ->
                    kotlinx.coroutines.CoroutineScope(LatencyHiding).async {
                        runCatching { socket.awaitConnect(address) }
                    }
                }
                outcomes
                    .map { it.await() }
                    .filter { it.isFailure }
                    .map { it.exceptionOrNull()!!::class }
                    .toSet() shouldBe setOf(ConnectionTimedOutException::class)
                sockets.forEach { it.close() }
            }
        }
    })

/** Run in a process that may open few files. */
internal object FewDescriptors {
    const val DONE = "all as documented"

    /** Connections that the server has closed: until then they hold a descriptor. */
    private val served = AtomicInteger()

    @JvmStatic
    fun main(args: Array<String>) {
        loadClasses()
        kotlinx.coroutines.runBlocking(LatencyHiding) {
            Server.listen(anyPort()).use { server ->
                val serving = launch {
                    server.connections().collect { connection ->
                        launch {
                            runCatching { connection.use { it.copyTo(it) } }
                            served.incrementAndGet()
                        }
                    }
                }
                refusedHere(server)
                serverRecovers(server)
                acceptRecovers()
                server.close()
                serving.join()
            }
        }
        println(DONE)
    }

    /** Loading one opens a file, if it is not in a jar. */
    private fun loadClasses() {
        for (root in System.getProperty("java.class.path").split(File.pathSeparator).map(::File)) {
            if (!root.isDirectory) continue
            for (file in root.walk().filter { it.extension == "class" }) {
                val name = file.relativeTo(root).path.removeSuffix(".class").replace('/', '.')
                if (name.startsWith("dev.latencyhiding.") && "Spec" !in name && "Test" !in name) {
                    runCatching { Class.forName(name) }
                }
            }
        }
    }

    /** What this side opens fails, and nothing else. */
    private suspend fun refusedHere(server: Server) {
        val early = Connection.connect(server.localAddress)
        early.echo()
        withoutDescriptors {
            val e =
                shouldThrow<TooManyOpenFilesException> { Connection.connect(server.localAddress) }
            e.message shouldContain "open a socket: too many open files"
            shouldThrow<TooManyOpenFilesException> { Server.listen(anyPort()) }
            early.echo()
        }
        early.closeOnBothSides()
    }

    /** A server that cannot accept waits, and serves when it can. */
    private suspend fun serverRecovers(server: Server) {
        val late = withoutDescriptors { sockets ->
            sockets.removeLast().close()
            Connection.connect(server.localAddress) // by the system; nobody can accept it
        }
        late.echo()
        late.closeOnBothSides()
    }

    private suspend fun acceptRecovers() {
        IoGroup.shared().openServerSocket().bind(anyPort()).use { listening ->
            val client = withoutDescriptors { sockets ->
                sockets.removeLast().close()
                val client = Connection.connect(listening.localAddress)
                shouldThrow<TooManyOpenFilesException> { listening.awaitAccept() }
                client
            }
            listening.awaitAccept().close()
            client.close()
        }
    }

    private suspend fun <T> withoutDescriptors(
        block: suspend (ArrayDeque<AsynchronousSocketChannel>) -> T
    ): T {
        val sockets = ArrayDeque<AsynchronousSocketChannel>()
        try {
            while (true) sockets += IoGroup.shared().openSocket()
        } catch (_: TooManyOpenFilesException) {
            // that is the point
        }
        try {
            return block(sockets)
        } finally {
            sockets.forEach { it.close() }
        }
    }

    private suspend fun Connection.closeOnBothSides() {
        val before = served.get()
        close()
        while (served.get() == before) delay(1)
    }

    private suspend fun Connection.echo() {
        writeFully("ping\n")
        readLine() shouldBe "ping"
    }
}
