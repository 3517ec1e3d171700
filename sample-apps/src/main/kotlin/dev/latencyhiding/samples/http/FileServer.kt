package dev.latencyhiding.samples.http

import dev.latencyhiding.coroutines.LatencyHiding
import dev.latencyhiding.coroutines.blocking
import dev.latencyhiding.nio.Connection
import dev.latencyhiding.nio.Server
import dev.latencyhiding.nio.openFile
import dev.latencyhiding.samples.Arguments
import java.io.EOFException
import java.io.IOException
import java.net.InetAddress
import java.net.InetSocketAddress
import java.nio.ByteBuffer
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.Path
import java.nio.file.StandardOpenOption.READ
import java.time.Instant
import java.time.temporal.ChronoUnit
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancel
import kotlinx.coroutines.flow.takeWhile
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull

/** What a client may cost. */
public class Limits
@JvmOverloads
constructor(
    /** The bytes of a request line with its headers. */
    public val headBytes: Int = 16 * 1024,
    /** How long a client may take to send them, counted from the answer before. */
    public val headMillis: Long = 10_000,
    /** How long a client may take to receive a block of the answer. */
    public val blockMillis: Long = 30_000,
    /** How many are served at a time; more wait to be accepted. */
    public val connections: Int = 10_000,
)

/**
 * Serves the files below a directory by HTTP/1.1: GET and HEAD, kept-alive and pipelined
 * connections, single ranges, `ETag`. Each connection is a coroutine on [LatencyHiding]; sockets
 * and files are waited for without holding a worker.
 */
public class FileServer
private constructor(
    private val tree: FileTree,
    private val server: Server,
    private val limits: Limits,
) : AutoCloseable {
    private val scope = CoroutineScope(SupervisorJob() + LatencyHiding)

    /** Where it listens. */
    public val address: InetSocketAddress
        get() = server.localAddress

    init {
        scope.launch { server.serve(limits.connections) { answerAll(it) } }
    }

    /** Serves one request after the other until one of both sides has enough. */
    private suspend fun answerAll(connection: Connection) {
        try {
            var request = readHead(connection) ?: throw Refusal(Status.REQUEST_TIMEOUT)
            while (request !== END) {
                try {
                    answer(connection, request)
                } catch (e: Refusal) {
                    val withBody = request.method != "HEAD"
                    send(connection, Response.error(e.status), request.isKeptAlive, withBody)
                }
                if (!request.isKeptAlive) break
                request = readHead(connection) ?: break // idle for too long
            }
        } catch (e: Refusal) {
            // Where the next request begins is not known.
            send(connection, Response.error(e.status), isKeptAlive = false, withBody = true)
            linger(connection)
        }
    }

    /** Null if it takes too long; [END] if there is no other. */
    private suspend fun readHead(connection: Connection): Request? =
        withTimeoutOrNull(limits.headMillis) { Request.read(connection, limits.headBytes) ?: END }

    /**
     * Lets a client that is still sending read the answer: if the connection were closed at once,
     * its system would drop it.
     */
    private suspend fun linger(connection: Connection) {
        connection.shutdownOutput()
        withTimeoutOrNull(LINGER) {
            var left = LINGER_BYTES
            connection.chunks().takeWhile { left > 0 }.collect { left -= it.remaining() }
        }
    }

    private suspend fun answer(connection: Connection, request: Request) {
        val withBody = request.method != "HEAD"
        when (val entry = blocking { tree.find(request.target) }) {
            is FileTree.File -> sendFile(connection, request, entry)
            is FileTree.Directory ->
                send(connection, Response.listing(entry.names), request.isKeptAlive, withBody)
            is FileTree.Moved ->
                send(connection, Response.moved(entry.location), request.isKeptAlive, withBody)
        }
    }

    private suspend fun sendFile(connection: Connection, request: Request, file: FileTree.File) {
        val tag = "\"${file.size.toString(16)}-${file.modified.toEpochMilli().toString(16)}\""
        val headers =
            mutableListOf(
                "Content-Type" to contentType(file.path.fileName.toString()),
                "Last-Modified" to Response.httpDate(file.modified.truncatedTo(ChronoUnit.SECONDS)),
                "ETag" to tag,
                "Accept-Ranges" to "bytes",
            )
        if (request["if-none-match"].orEmpty().split(',').any { it.trim() in setOf(tag, "*") }) {
            send(connection, Response(Status.NOT_MODIFIED, headers), request.isKeptAlive, false)
            return
        }
        val isSame = request["if-range"].let { it == null || it == tag }
        val range = request["range"]?.takeIf { isSame }?.let { rangeOf(it, file.size) }
        if (range != null)
            headers += "Content-Range" to "bytes ${range.first}-${range.last}/${file.size}"
        val bytes = range ?: 0 until file.size
        val length = bytes.last - bytes.first + 1
        val status = if (range == null) Status.OK else Status.PARTIAL_CONTENT
        val response = Response(status, headers, bodyLength = length)
        if (request.method == "HEAD") {
            send(connection, response, request.isKeptAlive, withBody = false)
            return
        }
        open(file.path).use { opened ->
            // In the connection's buffer: a short file is sent together with it.
            connection.write(response.head(Instant.now(), request.isKeptAlive))
            val block = ByteBuffer.allocate(minOf(length, BLOCK.toLong()).toInt())
            var position = bytes.first
            while (position <= bytes.last) {
                block.clear().limit(minOf(BLOCK.toLong(), bytes.last - position + 1).toInt())
                val count = opened.read(block, position)
                // The head has promised more: only the end of the connection can tell the client.
                if (count < 0) throw EOFException("${file.path} has shrunk")
                position += count
                withTimeout(limits.blockMillis) { connection.write(block.flip()) }
            }
            withTimeout(limits.blockMillis) { connection.flush() }
        }
    }

    private suspend fun open(path: Path) =
        try {
            path.openFile(READ, NOFOLLOW_LINKS)
        } catch (e: java.nio.file.AccessDeniedException) {
            throw Refusal(Status.FORBIDDEN)
        } catch (e: IOException) {
            throw Refusal(Status.NOT_FOUND) // it has gone since it was found
        }

    private suspend fun send(
        connection: Connection,
        response: Response,
        isKeptAlive: Boolean,
        withBody: Boolean,
    ) {
        withTimeout(limits.blockMillis) {
            connection.write(response.head(Instant.now(), isKeptAlive))
            if (withBody) connection.write(response.body)
            connection.flush()
        }
    }

    /** Closes all connections, and waits until their coroutines have ended. */
    override fun close() {
        scope.cancel()
        runBlocking { scope.coroutineContext.job.join() }
    }

    public companion object {
        private const val BLOCK = 64 * 1024
        private const val LINGER_BYTES = 1024 * 1024
        private val LINGER = 1.seconds

        private const val HELP =
            """Serves the files below a directory by HTTP.

  --directory DIR   whose files to serve, the current one by default
  --host NAME       where to listen, localhost by default
  --port N          8080 by default; 0 lets the system choose one
  --help            prints this"""

        /** Serves until the process is ended. */
        @JvmStatic
        public fun main(args: Array<String>) {
            val arguments = Arguments(HELP, *args)
            if (arguments.help(System.out)) return
            val directory = Path.of(arguments.text("--directory", "."))
            val host = arguments.text("--host", InetAddress.getLoopbackAddress().hostAddress)
            val port = arguments.number("--port", 8080, 0, 65_535)
            arguments.requireNoOthers()
            val server = start(directory, InetSocketAddress(host, port))
            println("${directory.toRealPath()} at http:/${server.address}/")
            runBlocking { server.scope.coroutineContext.job.join() }
        }

        /** Stands for the end of a connection. */
        private val END = Request("", "", 0, emptyMap())

        /**
         * Starts to serve.
         *
         * @param directory whose files are served
         * @param address where to listen; port 0 lets the system choose one
         * @throws IOException if there is no such directory, or the address is in use
         */
        @JvmStatic
        @JvmOverloads
        @Throws(IOException::class)
        public fun start(
            directory: Path,
            address: InetSocketAddress,
            limits: Limits = Limits(),
        ): FileServer = FileServer(FileTree(directory), Server.listen(address), limits)
    }
}
