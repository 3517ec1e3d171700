package dev.latencyhiding.nio

import dev.latencyhiding.CompletionThread
import dev.latencyhiding.LatencyHidingScheduler
import dev.latencyhiding.coroutines.asCoroutineDispatcher
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlin.concurrent.thread
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/** While workers sleep the I/O thread runs what it has resumed, and nobody suffers from that. */
class GuestSpec :
    FunSpec({
        test("while the workers sleep, a coroutine goes on on the I/O thread") {
            val stats = onOwnScheduler { scheduler -> withGuest(scheduler) {} }
            stats.guestRuns() shouldBeGreaterThan 0
        }

        test("what goes on there is on its scheduler") {
            onOwnScheduler { scheduler ->
                withGuest(scheduler) {
                    LatencyHidingScheduler.currentOrShared() shouldBe scheduler
                    val sum = coroutineScope { List(100) { async { it } }.awaitAll().sum() }
                    sum shouldBe 4950
                }
            }
        }

        test("a coroutine that blocks the I/O thread does not hold up other sockets") {
            onOwnScheduler { scheduler ->
                withEcho { server ->
                    val echoed = CountDownLatch(1)
                    withGuest(scheduler) {
                        thread {
                            runBlocking {
                                Connection.connect(server.localAddress).use { it.echo() }
                            }
                            echoed.countDown()
                        }
                        check(echoed.await(DEADLINE.inWholeSeconds, TimeUnit.SECONDS))
                    }
                }
            }
        }

        test("a coroutine that blocks the I/O thread may wait for sockets of the same group") {
            onOwnScheduler { scheduler ->
                withEcho { server ->
                    withGuest(scheduler) {
                        runBlocking { Connection.connect(server.localAddress).use { it.echo() } }
                    }
                }
            }
        }

        test("an I/O thread that is always busy is helped by another") {
            val ranBy = ConcurrentHashMap.newKeySet<Thread>()
            IoGroup.open("helped", 2).use { group ->
                onOwnScheduler { withEcho(group) { server -> keepBusy(server, group, ranBy) } }
            }
        }

        test("closing the scheduler from the I/O thread") {
            val scheduler = LatencyHidingScheduler.builder().parallelism(2).build()
            detached(scheduler.asCoroutineDispatcher()) {
                withGuest(scheduler) { scheduler.close() }
            }
            waitUntil({ "the end: ${scheduler.stats()}" }) { scheduler.isTerminated }
            scheduler.stats().openSuspensions() shouldBe 0
        }

        test("closing the group from its own thread") {
            val group = IoGroup.open("closes-itself", 1)
            onOwnScheduler { scheduler -> withGuest(scheduler, group) { group.close() } }
            waitUntil({ "threads of the group" }) {
                Thread.getAllStackTraces().keys.none { it.name.startsWith("closes-itself") }
            }
        }
    })

/** Runs [block] on the I/O thread, in a coroutine that a socket has brought back there. */
private suspend fun withGuest(
    scheduler: LatencyHidingScheduler,
    group: IoGroup = IoGroup.shared(),
    block: suspend CoroutineScope.() -> Unit,
) = coroutineScope {
    java.net.ServerSocket(0, 50, LOOPBACK).use { server ->
        val connection =
            Connection.connect(server.localSocketAddress as java.net.InetSocketAddress, group)
        val peer = server.accept()
        val sender = thread {
            // Each byte when the coroutine waits and all workers sleep. The stand-in brings some.
            runCatching {
                while (true) {
                    waitUntil({ "the workers sleep: ${scheduler.stats()}" }) {
                        peer.isClosed ||
                            scheduler.stats().let {
                                it.sleepingWorkers() == it.parallelism() && it.suspendedDeques() > 0
                            }
                    }
                    peer.getOutputStream().write(1)
                }
            }
        }
        try {
            do connection.readExactly(1) while (Thread.currentThread() !is CompletionThread)
            peer.close()
            block()
        } finally {
            peer.close()
            connection.close()
            sender.join()
        }
    }
}

/** Echoes over many connections until two I/O threads have run these coroutines. */
private suspend fun keepBusy(server: Server, group: IoGroup, ranBy: MutableSet<Thread>) =
    coroutineScope {
        repeat(64) {
            launch {
                Connection.connect(server.localAddress, group).use { connection ->
                    while (ranBy.size < 2) {
                        connection.echo()
                        val thread = Thread.currentThread()
                        if (thread is CompletionThread) ranBy += thread
                    }
                }
            }
        }
    }

private suspend fun withEcho(
    group: IoGroup = IoGroup.shared(),
    block: suspend (Server) -> Unit,
) = coroutineScope {
    Server.listen(anyPort(), group = group).use { server ->
        val serving = launch { server.serve { it.copyTo(it) } }
        block(server)
        server.close()
        serving.join()
    }
}

private suspend fun Connection.echo() =
    repeat(50) {
        writeFully("ping")
        readExactly(4).decodeToString() shouldBe "ping"
    }
