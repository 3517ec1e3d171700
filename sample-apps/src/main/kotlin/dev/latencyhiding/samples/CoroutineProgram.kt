package dev.latencyhiding.samples

import dev.latencyhiding.coroutines.touch
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpResponse.BodyHandlers
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext

/** The program as coroutines: the same on every dispatcher. */
internal object CoroutineProgram {
    @JvmStatic
    fun run(
        client: HttpClient,
        server: URI,
        documents: Int,
        dispatcher: CoroutineDispatcher,
        progress: Progress,
    ): Long = runBlocking {
        withContext(dispatcher) {
            val heart = launch {
                while (true) {
                    delay(Progress.BEAT_MILLIS.toLong())
                    progress.beat()
                }
            }
            List(documents) { document ->
                    async {
                        val request = Documents.request(server, document)
                        // On other dispatchers touch() is await().
                        val response = client.sendAsync(request, BodyHandlers.ofString()).touch()
                        bestPeriod(response.body()).also { progress.documentDone() }
                    }
                }
                .sumOf { it.await() }
                .also { heart.cancel() }
        }
    }

    private suspend fun bestPeriod(text: String): Long = coroutineScope {
        val values = Documents.parse(text)
        List(Documents.PIECES) { piece -> async { Documents.bestMatch(values, piece) } }
            .awaitAll()
            .reduce(Documents.Match::orBetter)
            .period()
            .toLong()
    }
}
