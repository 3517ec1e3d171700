package dev.latencyhiding.nio

import dev.latencyhiding.coroutines.LatencyHiding
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import java.net.InetSocketAddress
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.nio.file.Files
import java.nio.file.Path
import java.security.KeyStore
import javax.net.ssl.KeyManagerFactory
import javax.net.ssl.SSLContext
import javax.net.ssl.SSLSocket
import javax.net.ssl.TrustManagerFactory
import kotlin.random.Random
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull

/** TLS behind the same [Connection], with a certificate made here. */
class TlsSpec :
    FunSpec({
        val folder = Files.createTempDirectory("tls")
        val context = selfSigned(folder)
        afterSpec { folder.toFile().deleteRecursively() }

        for (version in listOf("TLSv1.3", "TLSv1.2")) {
            test("echo over $version, both directions at once, large and small") {
                val lent = BufferPool.SHARED.lent()
                onOwnScheduler {
                    withTlsServer(context, { it.copyTo(it) }) { address ->
                        val clients =
                            List(10) { i ->
                                launch {
                                    val client =
                                        Connection.connectTls(address, context, "localhost") {
                                            enabledProtocols = arrayOf(version)
                                        }
                                    client.use {
                                        client.echo("small $i", 10)
                                        val large = Random(i).nextBytes(500_000)
                                        val sending = launch { client.writeFully(large) }
                                        client.readExactly(large.size).contentEquals(large) shouldBe
                                            true
                                        sending.join()
                                    }
                                }
                            }
                        clients.joinAll()
                    }
                }
                waitUntil({ "buffers are back" }) { BufferPool.SHARED.lent() <= lent }
            }
        }

        test("a timeout in the midst of a record loses nothing") {
            detached(LatencyHiding) {
                withTlsServer(
                    context,
                    { connection ->
                        repeat(20) {
                            connection.readLine()
                            connection.writeFully("${"x".repeat(20_000)}\n")
                        }
                    },
                ) { address ->
                    Connection.connectTls(address, context, "localhost").use { client ->
                        val wanted = 20_001
                        repeat(20) {
                            withTimeoutOrNull(1.milliseconds) { client.request(wanted) } shouldBe
                                null
                            client.writeFully("go\n")
                            while (
                                withTimeoutOrNull(1.milliseconds) { client.request(wanted) } == null
                            ) {
                                // a part has come
                            }
                            client.readLine(30_000)!!.length shouldBe 20_000
                        }
                    }
                }
            }
        }

        test("the certificate of somebody else is refused") {
            detached(LatencyHiding) {
                withTlsServer(context, { it.copyTo(it) }) { address ->
                    val e =
                        shouldThrow<TlsException> {
                            Connection.connectTls(address, context, "example.org")
                        }
                    e.peer.toString() shouldContain address.port.toString()
                    shouldThrow<TlsException> {
                        Connection.connectTls(address, SSLContext.getDefault(), "localhost")
                    }
                }
            }
        }

        test("a peer that speaks no TLS, and one that goes away in the midst of it") {
            detached(LatencyHiding) {
                Server.listen(anyPort()).use { server ->
                    val serving = launch {
                        server.serve { connection ->
                            connection.readAvailable(java.nio.ByteBuffer.allocate(10))
                            connection.writeFully("this is no TLS, whatever you think\n")
                        }
                    }
                    shouldThrow<TlsException> {
                        Connection.connectTls(server.localAddress, context, "localhost")
                    }
                    server.close()
                    serving.join()
                }
                Server.listen(anyPort()).use { server ->
                    val serving = launch { server.serve { it.readExactly(10) } }
                    val e =
                        shouldThrow<java.io.IOException> {
                            Connection.connectTls(server.localAddress, context, "localhost")
                        }
                    (e is EndOfStreamException || e is ConnectionResetException) shouldBe true
                    server.close()
                    serving.join()
                }
            }
        }

        test("the end of the stream: with and without the end of TLS") {
            detached(LatencyHiding) {
                withTlsServer(
                    context,
                    { connection ->
                        if (connection.readLine() == "properly") connection.shutdownOutput()
                    },
                ) { address ->
                    Connection.connectTls(address, context, "localhost").use { client ->
                        client.writeFully("properly\n")
                        client.readLine() shouldBe null
                    }
                    Connection.connectTls(address, context, "localhost").use { client ->
                        client.writeFully("cut off\n")
                        shouldThrow<EndOfStreamException> { client.readLine() }
                            .message shouldContain "without the end of TLS"
                    }
                }
            }
        }

        test("STARTTLS, against the JDK's own sockets") {
            detached(LatencyHiding) {
                val jdk = context.serverSocketFactory.createServerSocket(0, 5, LOOPBACK)
                jdk.use {
                    val peer =
                        async(Dispatchers.IO) {
                            (jdk.accept() as SSLSocket).use { socket ->
                                val line = socket.inputStream.bufferedReader().readLine()
                                socket.outputStream.write("you said $line\n".toByteArray())
                            }
                        }
                    val address = jdk.localSocketAddress as InetSocketAddress
                    val plain = Connection.connect(address)
                    plain.startTls(context, "localhost").use { secured ->
                        secured.writeFully("hello\n")
                        secured.readLine() shouldBe "you said hello"
                    }
                    peer.await()
                }
            }
        }

        test("the JDK's HttpClient") {
            detached(LatencyHiding) {
                withTlsServer(context, { it.answerHttp() }) { address ->
                    val body =
                        withContext(Dispatchers.IO) {
                            HttpClient.newBuilder()
                                .sslContext(context)
                                .build()
                                .send(
                                    HttpRequest.newBuilder(
                                            URI("https://localhost:${address.port}/x")
                                        )
                                        .build(),
                                    HttpResponse.BodyHandlers.ofString(),
                                )
                                .body()
                        }
                    body shouldBe "GET /x HTTP/1.1\n"
                }
            }
        }

        test("curl").config(enabledOrReasonIf = { needs("curl") }) {
            detached(LatencyHiding) {
                withTlsServer(context, { it.answerHttp() }) { address ->
                    withContext(Dispatchers.IO) {
                        run("curl", "-sSk", "https://127.0.0.1:${address.port}/abc")
                    } shouldBe "GET /abc HTTP/1.1\n"
                }
            }
        }

        test("openssl s_client").config(enabledOrReasonIf = { needs("openssl") }) {
            detached(LatencyHiding) {
                withTlsServer(
                    context,
                    {
                        it.writeFully("you said ${it.readLine()}\n")
                        it.shutdownOutput()
                    },
                ) { address ->
                    withContext(Dispatchers.IO) {
                        run(
                            "openssl",
                            "s_client",
                            "-quiet",
                            "-ign_eof",
                            "-connect",
                            "127.0.0.1:${address.port}",
                            input = "hello\n",
                        )
                    } shouldContain "you said hello"
                }
            }
        }
    })

private suspend fun withTlsServer(
    context: SSLContext,
    handler: suspend (Connection) -> Unit,
    block: suspend (InetSocketAddress) -> Unit,
) = coroutineScope {
    Server.listen(anyPort()).use { server ->
        val serving = launch {
            server.serve { plain -> plain.acceptTls(context).use { handler(it) } }
        }
        block(server.localAddress)
        server.close()
        serving.join()
    }
}

/** A key for localhost, which is trusted. */
private fun selfSigned(folder: Path): SSLContext {
    val file = folder.resolve("keys.p12")
    val password = "secret"
    val keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString()
    val said =
        run(
            *"$keytool -genkeypair -alias a -keyalg EC -dname CN=localhost -validity 3650"
                .split(' ')
                .toTypedArray(),
            "-ext",
            "SAN=dns:localhost,ip:127.0.0.1",
            "-storetype",
            "PKCS12",
            "-storepass",
            password,
            "-keystore",
            file.toString(),
        )
    check(Files.exists(file)) { said }
    val keys = KeyStore.getInstance(file.toFile(), password.toCharArray())
    val owned = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm())
    owned.init(keys, password.toCharArray())
    val trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm())
    trusted.init(keys)
    return SSLContext.getInstance("TLS").apply {
        init(owned.keyManagers, trusted.trustManagers, null)
    }
}
