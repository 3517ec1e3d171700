package dev.latencyhiding.benchmarks.peers;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.CancellableContinuation;
import kotlinx.coroutines.CoroutineDispatcher;
import org.jspecify.annotations.Nullable;

/**
 * What one would write in an afternoon to get punctual wake-ups: a fixed pool with two queues, of which the one with
 * resumed coroutines is polled first. It has no work stealing, and nothing keeps wake-ups from starving the rest.
 */
final class TwoQueuesDispatcher extends CoroutineDispatcher {
    private final Queue<Runnable> resumed = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> others = new ConcurrentLinkedQueue<>();
    /** One permit for each block in the two queues together. */
    private final Semaphore blocks = new Semaphore(0);

    TwoQueuesDispatcher(int parallelism) {
        ThreadFactory threads = Peers.daemons("two-queues");
        for (int i = 0; i < parallelism; i++) {
            threads.newThread(this::work).start();
        }
    }

    @Override
    public void dispatch(CoroutineContext context, Runnable block) {
        (block instanceof CancellableContinuation<?> ? resumed : others).add(block);
        blocks.release();
    }

    private void work() {
        while (true) {
            blocks.acquireUninterruptibly();
            next().run();
        }
    }

    /** The permit says that there is one; another worker may take the one seen, and leave its own. */
    private Runnable next() {
        while (true) {
            @Nullable Runnable block = resumed.poll();
            if (block == null) {
                block = others.poll();
            }
            if (block != null) {
                return block;
            }
        }
    }
}
