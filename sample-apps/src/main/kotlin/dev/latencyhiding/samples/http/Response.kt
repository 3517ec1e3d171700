package dev.latencyhiding.samples.http

import java.time.Instant
import java.time.ZoneOffset
import java.time.format.DateTimeFormatter

/** The head of an answer, and a short body if it has one. Files are sent after it. */
internal class Response(
    val status: Status,
    private val headers: List<Pair<String, String>>,
    val body: ByteArray = ByteArray(0),
    val bodyLength: Long = body.size.toLong(),
) {
    fun head(now: Instant, isKeptAlive: Boolean): String = buildString {
        append("HTTP/1.1 ").append(status).append(CRLF)
        append("Date: ").append(httpDate(now)).append(CRLF)
        for ((name, value) in headers) append(name).append(": ").append(value).append(CRLF)
        if (status != Status.NOT_MODIFIED)
            append("Content-Length: ").append(bodyLength).append(CRLF)
        append("X-Content-Type-Options: nosniff").append(CRLF)
        append("Connection: ").append(if (isKeptAlive) "keep-alive" else "close").append(CRLF)
        append(CRLF)
    }

    companion object {
        private const val CRLF = "\r\n"

        fun error(status: Status): Response {
            val headers = mutableListOf("Content-Type" to "text/plain; charset=utf-8")
            if (status == Status.METHOD_NOT_ALLOWED) headers += "Allow" to "GET, HEAD"
            return Response(status, headers, "$status\n".toByteArray())
        }

        fun moved(location: String): Response =
            Response(Status.MOVED_PERMANENTLY, listOf("Location" to location))

        /** A directory, for people. */
        fun listing(names: List<String>): Response {
            val body = buildString {
                append("<!doctype html>\n<meta charset=\"utf-8\">\n<title>Files</title>\n<ul>\n")
                for (name in names) {
                    append("<li><a href=\"./").append(encoded(name)).append("\">")
                    append(escaped(name)).append("</a>\n")
                }
                append("</ul>\n")
            }
            return Response(
                Status.OK,
                listOf("Content-Type" to "text/html; charset=utf-8"),
                body.toByteArray(),
            )
        }

        fun httpDate(time: Instant): String =
            DateTimeFormatter.RFC_1123_DATE_TIME.format(time.atOffset(ZoneOffset.UTC))
                .replace(SHORT_DAY, ", 0$1 ")

        /** The format leaves the zero away that HTTP wants. */
        private val SHORT_DAY = Regex(", (\\d) ")

        private fun escaped(text: String): String =
            text
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")

        private fun encoded(name: String): String = buildString {
            for (byte in name.toByteArray()) {
                val c = byte.toInt().toChar()
                if (c in 'a'..'z' || c in 'A'..'Z' || c in '0'..'9' || c in "-._~/") append(c)
                else append('%').append("%02X".format(byte))
            }
        }
    }
}

/** The types that browsers need to know. */
internal fun contentType(name: String): String =
    when (name.substringAfterLast('.', "").lowercase()) {
        "html",
        "htm" -> "text/html; charset=utf-8"
        "css" -> "text/css; charset=utf-8"
        "js",
        "mjs" -> "text/javascript; charset=utf-8"
        "json" -> "application/json"
        "txt",
        "md",
        "csv",
        "kt",
        "java" -> "text/plain; charset=utf-8"
        "xml" -> "application/xml"
        "svg" -> "image/svg+xml"
        "png" -> "image/png"
        "jpg",
        "jpeg" -> "image/jpeg"
        "gif" -> "image/gif"
        "webp" -> "image/webp"
        "ico" -> "image/x-icon"
        "pdf" -> "application/pdf"
        "wasm" -> "application/wasm"
        "woff2" -> "font/woff2"
        "mp4" -> "video/mp4"
        else -> "application/octet-stream"
    }

/** The bytes `first..last` that a `Range` header asks for, of a file with [size] bytes. */
internal fun rangeOf(header: String, size: Long): LongRange? {
    val (first, last) = SINGLE_RANGE.matchEntire(header.trim())?.destructured ?: return null
    if (first.isEmpty() && last.isEmpty()) return null
    val end = size - 1
    val range =
        if (first.isEmpty()) maxOf(0, size - last.toLong())..end
        else first.toLong()..minOf(end, if (last.isEmpty()) end else last.toLong())
    if (last.isNotEmpty() && first.isNotEmpty() && last.toLong() < first.toLong()) return null
    if (range.isEmpty()) throw Refusal(Status.RANGE_NOT_SATISFIABLE)
    return range
}

/** One range, of numbers that fit into a long. Others are ignored, as the standard allows. */
private val SINGLE_RANGE = Regex("bytes=(\\d{0,18})-(\\d{0,18})")
