@file:JvmName("Tls")

package dev.latencyhiding.nio

import java.net.InetSocketAddress
import javax.net.ssl.SSLContext
import javax.net.ssl.SSLEngine
import javax.net.ssl.SSLException
import tlschannel.ClientTlsChannel
import tlschannel.ServerTlsChannel

/** The peer broke the rules of TLS, or is not whom it should be, or there is no common ground. */
public class TlsException
internal constructor(
    override val operation: String,
    override val peer: Any?,
    cause: SSLException,
) : SSLException(SocketFailures.message(operation, peer, cause.toString()), cause), SocketFailure

/**
 * Connects to [address] with TLS, and checks that the certificate is that of [host].
 *
 * ```
 * Connection.connectTls(InetSocketAddress("example.org", 443)).use { … }
 * ```
 *
 * @param configure may set the protocols, cipher suites, client certificate and so on
 * @throws TlsException if the handshake fails, for whatever reason
 */
public suspend fun Connection.Companion.connectTls(
    address: InetSocketAddress,
    context: SSLContext = SSLContext.getDefault(),
    host: String = address.hostString,
    group: IoGroup = IoGroup.shared(),
    configure: SSLEngine.() -> Unit = {},
): Connection = connect(address, group).startTls(context, host, configure)

/**
 * Starts TLS as the client on a connection that both sides have used without, as STARTTLS in mail
 * protocols does. Use the result from now on, and not this connection; closing it closes this one.
 *
 * Encryption, and what is to be computed for the handshake, is done by the calling coroutine, on
 * its worker.
 *
 * This suspending function is cancellable: if it is cancelled or fails, the connection is closed.
 *
 * @param host whose certificate the peer must have
 * @param configure may set the protocols, cipher suites, client certificate and so on
 */
public suspend fun Connection.startTls(
    context: SSLContext,
    host: String,
    configure: SSLEngine.() -> Unit = {},
): Connection = startTls { session ->
    val engine = context.createSSLEngine(host, (remoteAddress as? InetSocketAddress)?.port ?: -1)
    engine.useClientMode = true
    engine.sslParameters = engine.sslParameters.apply { endpointIdentificationAlgorithm = "HTTPS" }
    engine.configure()
    ClientTlsChannel.newBuilder(session, engine).withRunTasks(false).build()
}

/**
 * Starts TLS as the server on a connection that was accepted; otherwise as [startTls].
 *
 * ```
 * server.serve { plain ->
 *     val connection = withTimeout(10.seconds) { plain.acceptTls(context) }
 *     …
 * }
 * ```
 */
public suspend fun Connection.acceptTls(
    context: SSLContext,
    configure: SSLEngine.() -> Unit = {},
): Connection = startTls { session ->
    ServerTlsChannel.newBuilder(session, context)
        .withEngineFactory { it.createSSLEngine().apply { useClientMode = false }.apply(configure) }
        .withRunTasks(false)
        .build()
}
