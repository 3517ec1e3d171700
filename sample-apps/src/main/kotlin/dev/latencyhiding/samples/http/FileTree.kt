package dev.latencyhiding.samples.http

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException
import java.nio.file.FileSystemLoopException
import java.nio.file.Files
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.NoSuchFileException
import java.nio.file.NotDirectoryException
import java.nio.file.Path
import java.nio.file.attribute.BasicFileAttributes
import java.time.Instant

/**
 * The files below a directory, and nothing else: no way leads out of it, by dots, encoded or not,
 * or by symbolic links. Names that begin with a dot are not served.
 *
 * Its functions wait for the disk.
 */
internal class FileTree(directory: Path) {
    private val root: Path = directory.toRealPath()

    init {
        if (!Files.isDirectory(root)) throw NotDirectoryException("$directory")
    }

    /** What a target names. */
    sealed interface Entry

    /** A file, and how it was when it was looked at. */
    class File(val path: Path, val size: Long, val modified: Instant) : Entry

    /** A directory without an index.html. */
    class Directory(val names: List<String>) : Entry

    /** A directory whose name should end with a slash. */
    class Moved(val location: String) : Entry

    /**
     * Finds what [target] of a request names.
     *
     * @throws Refusal if it names nothing that may be served
     */
    fun find(target: String): Entry {
        val rawPath = pathOf(target)
        val names = rawPath.split('/').filter { it.isNotEmpty() }.map(::nameOf)
        val path =
            try {
                names.fold(root, Path::resolve).toRealPath()
            } catch (e: IOException) {
                throw refused(e)
            }
        if (!path.startsWith(root)) throw Refusal(Status.NOT_FOUND) // a link leads out
        return entryOf(path, rawPath)
    }

    private fun entryOf(path: Path, rawPath: String): Entry =
        try {
            // Links were followed, and not out of the tree: one that is new here is not followed.
            val attributes =
                Files.readAttributes(path, BasicFileAttributes::class.java, NOFOLLOW_LINKS)
            when {
                attributes.isRegularFile ->
                    if (rawPath.endsWith('/')) throw Refusal(Status.NOT_FOUND)
                    else File(path, attributes.size(), attributes.lastModifiedTime().toInstant())
                !attributes.isDirectory -> throw Refusal(Status.NOT_FOUND) // a pipe, a device
                !rawPath.endsWith('/') -> Moved("${rawPath.trimEnd('/')}/")
                Files.isRegularFile(path.resolve(INDEX)) -> find("$rawPath$INDEX")
                else -> Directory(list(path))
            }
        } catch (e: IOException) {
            throw refused(e)
        }

    private fun list(directory: Path): List<String> =
        Files.newDirectoryStream(directory).use { entries ->
            entries
                .filterNot { it.fileName.toString().startsWith('.') }
                .map { if (Files.isDirectory(it)) "${it.fileName}/" else "${it.fileName}" }
                .sorted()
        }

    /** The path in the forms `/path?query` and `http://host/path?query`. */
    private fun pathOf(target: String): String {
        val local =
            when {
                target.startsWith('/') -> target
                target.startsWith("http://", ignoreCase = true) ->
                    '/' + target.drop("http://".length).substringAfter('/', "")
                else -> throw Refusal(Status.BAD_REQUEST)
            }
        if ('#' in local) throw Refusal(Status.BAD_REQUEST)
        // One slash at the beginning: "//host" in a redirection would lead elsewhere.
        return '/' + local.substringBefore('?').trimStart('/')
    }

    private fun nameOf(encoded: String): String {
        val name = decoded(encoded)
        val isStrange = name.any { it < ' ' || it == '\u007F' || it == '/' || it == '\\' }
        if (isStrange || name == "." || name == "..") throw Refusal(Status.BAD_REQUEST)
        if (name.startsWith('.')) throw Refusal(Status.NOT_FOUND)
        return name
    }

    private fun decoded(encoded: String): String {
        if (encoded.any { it > '~' }) throw Refusal(Status.BAD_REQUEST) // must be encoded
        val bytes = ByteBuffer.allocate(encoded.length)
        var i = 0
        while (i < encoded.length) {
            val c = encoded[i++]
            if (c == '%') {
                val digits = encoded.substring(i, minOf(i + 2, encoded.length))
                if (!HEX.matches(digits)) throw Refusal(Status.BAD_REQUEST)
                bytes.put(digits.toInt(16).toByte())
                i += 2
            } else {
                bytes.put(c.code.toByte())
            }
        }
        return try {
            Charsets.UTF_8.newDecoder().decode(bytes.flip()).toString()
        } catch (_: CharacterCodingException) {
            throw Refusal(Status.BAD_REQUEST)
        }
    }

    private fun refused(e: IOException): Throwable =
        when (e) {
            is NoSuchFileException,
            is NotDirectoryException,
            is FileSystemLoopException -> Refusal(Status.NOT_FOUND)
            is java.nio.file.AccessDeniedException -> Refusal(Status.FORBIDDEN)
            // "Not a directory", "File name too long", "Too many levels of symbolic links"
            is java.nio.file.FileSystemException -> Refusal(Status.NOT_FOUND)
            else -> e
        }

    private companion object {
        const val INDEX = "index.html"
        val HEX = Regex("[0-9A-Fa-f]{2}")
    }
}
