package dev.latencyhiding.samples.http

import dev.latencyhiding.nio.Connection
import dev.latencyhiding.nio.EndOfStreamException
import dev.latencyhiding.nio.LineEnding
import dev.latencyhiding.nio.NetworkException
import dev.latencyhiding.nio.TooLongLineException

/** What a client asks for: the head of an HTTP/1.1 request, without a body. */
internal class Request(
    val method: String,
    val target: String,
    private val minorVersion: Int,
    private val headers: Map<String, String>,
) {
    /** The value of a header; names are case-insensitive. */
    operator fun get(name: String): String? = headers[name.lowercase()]

    /** Whether the client wants to send another request on the same connection. */
    val isKeptAlive: Boolean
        get() {
            val wishes = get("connection").orEmpty().lowercase().split(',').map { it.trim() }
            return if (minorVersion == 0) "keep-alive" in wishes else "close" !in wishes
        }

    companion object {
        private const val MAX_HEADERS = 100
        private val TOKEN = Regex("[!#$%&'*+.^_`|~0-9A-Za-z-]+")
        private val VERSION = Regex("HTTP/(\\d)\\.(\\d)")

        /**
         * Reads a request head of at most [limit] bytes.
         *
         * @return null if the client has closed the connection
         * @throws Refusal if it is not one that can be answered
         */
        suspend fun read(connection: Connection, limit: Int): Request? {
            var left = limit
            suspend fun line(tooLong: Status): String? {
                val line =
                    try {
                        connection.readLine(left, LineEnding.CRLF)
                    } catch (_: TooLongLineException) {
                        throw Refusal(tooLong)
                    } catch (_: NetworkException) {
                        throw Refusal(Status.BAD_REQUEST) // a bare line feed
                    } catch (_: EndOfStreamException) {
                        return null
                    }
                left = maxOf(0, left - (line?.length ?: 0) - 2)
                return line
            }

            val first = line(Status.URI_TOO_LONG) ?: return null
            val headers = HashMap<String, String>()
            while (true) {
                val line = line(Status.HEADERS_TOO_LARGE) ?: return null
                if (line.isEmpty()) break
                if (headers.size == MAX_HEADERS) throw Refusal(Status.HEADERS_TOO_LARGE)
                headers.addHeader(line)
            }
            return parse(first, headers)
        }

        private fun HashMap<String, String>.addHeader(line: String) {
            val name = line.substringBefore(':', "").lowercase()
            val value = line.substringAfter(':').trim(' ', '\t')
            // No folded lines, no blanks before the colon: proxies disagree about both.
            val isValid =
                TOKEN.matches(name) && value.none { it < ' ' && it != '\t' || it == '\u007F' }
            if (!isValid) throw Refusal(Status.BAD_REQUEST)
            val before = put(name, value)
            if (before != null) {
                if (name in SINGLE) throw Refusal(Status.BAD_REQUEST)
                put(name, "$before, $value")
            }
        }

        private val SINGLE = setOf("host", "content-length", "transfer-encoding", "range")

        private fun parse(line: String, headers: Map<String, String>): Request {
            val parts = line.split(' ')
            if (parts.size != 3 || !TOKEN.matches(parts[0])) throw Refusal(Status.BAD_REQUEST)
            val (major, minor) =
                VERSION.matchEntire(parts[2])?.destructured ?: throw Refusal(Status.BAD_REQUEST)
            if (major != "1") throw Refusal(Status.VERSION_NOT_SUPPORTED)
            val request = Request(parts[0], parts[1], minor.toInt(), headers)
            if (minor != "0" && request["host"] == null) throw Refusal(Status.BAD_REQUEST)
            if (request.method != "GET" && request.method != "HEAD") {
                throw Refusal(Status.METHOD_NOT_ALLOWED)
            }
            // A body would be taken for the next request.
            if (request["transfer-encoding"] != null) throw Refusal(Status.BAD_REQUEST)
            if (request["content-length"].let { it != null && it != "0" }) {
                throw Refusal(Status.CONTENT_TOO_LARGE)
            }
            return request
        }
    }
}

/** A request that gets an error for an answer. */
internal class Refusal(val status: Status) : Exception(status.toString())

/** The answers' first lines. */
internal enum class Status(val code: Int, val reason: String) {
    OK(200, "OK"),
    PARTIAL_CONTENT(206, "Partial Content"),
    MOVED_PERMANENTLY(301, "Moved Permanently"),
    NOT_MODIFIED(304, "Not Modified"),
    BAD_REQUEST(400, "Bad Request"),
    FORBIDDEN(403, "Forbidden"),
    NOT_FOUND(404, "Not Found"),
    METHOD_NOT_ALLOWED(405, "Method Not Allowed"),
    REQUEST_TIMEOUT(408, "Request Timeout"),
    CONTENT_TOO_LARGE(413, "Content Too Large"),
    URI_TOO_LONG(414, "URI Too Long"),
    RANGE_NOT_SATISFIABLE(416, "Range Not Satisfiable"),
    HEADERS_TOO_LARGE(431, "Request Header Fields Too Large"),
    INTERNAL_ERROR(500, "Internal Server Error"),
    VERSION_NOT_SUPPORTED(505, "HTTP Version Not Supported");

    override fun toString(): String = "$code $reason"
}
