package dev.latencyhiding.benchmarks.workloads;

import dev.latencyhiding.LatencyHidingScheduler;
import dev.latencyhiding.benchmarks.peers.Peer;
import dev.latencyhiding.benchmarks.peers.PeerSpec;
import dev.latencyhiding.benchmarks.peers.Peers;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import kotlinx.coroutines.ExecutorsKt;

/**
 * Fibonacci numbers in plain Java: {@link LatencyHidingScheduler#invoke} beside a {@link RecursiveTask}. With a cut-off
 * the leaves take about a microsecond, as in a program that was written with care; without, there is nothing but forks.
 * Only what has a fork-join of its own takes part; a {@link ForkJoinPool} in asynchronous mode is not meant for tasks
 * that are joined. Bar 16.
 */
final class ForkJoin implements Workload {
    @Override
    public String name() {
        return "forkjoin";
    }

    @Override
    public String shows() {
        return "fork and join in plain Java, with and without a cut-off";
    }

    @Override
    public List<Case> cases(Scale scale) {
        return List.of(
                new ForkJoinCase("12", scale.pick(15, 32, 35), 12), new ForkJoinCase("none", scale.pick(8, 24, 27), 1));
    }

    private record ForkJoinCase(String label, int n, int cutOff) implements Case {
        @Override
        public SortedMap<String, String> parameters() {
            return new TreeMap<>(Map.of("cut-off", label));
        }

        @Override
        public boolean isFor(PeerSpec peer) {
            return peer.name().startsWith(Peers.OURS) || peer.name().equals(Peers.FORK_JOIN);
        }

        @Override
        public boolean nothingWaits() {
            return true;
        }

        @Override
        public List<Sample> run(Peer peer) {
            final long begun = System.nanoTime();
            final long result = fork(peer);
            final long took = System.nanoTime() - begun;
            CasesKt.expect(LeavesKt.fibonacci(n), result);
            return List.of(Sample.time(took));
        }

        private long fork(Peer peer) {
            final Executor executor = ExecutorsKt.asExecutor(peer.dispatcher());
            if (executor instanceof ForkJoinPool pool) {
                return pool.invoke(new Task(n, cutOff));
            }
            final LatencyHidingScheduler scheduler = (LatencyHidingScheduler) executor;
            return scheduler
                    .supply(() -> {
                        final Node root = new Node(scheduler, n, cutOff);
                        root.run();
                        return root.result;
                    })
                    .join();
        }
    }

    private static final class Node implements Runnable {
        private final LatencyHidingScheduler scheduler;
        private final int n;
        private final int cutOff;
        private long result;

        Node(LatencyHidingScheduler scheduler, int n, int cutOff) {
            this.scheduler = scheduler;
            this.n = n;
            this.cutOff = cutOff;
        }

        @Override
        public void run() {
            if (n <= cutOff) {
                result = LeavesKt.naiveFib(n);
                return;
            }
            final Node left = new Node(scheduler, n - 1, cutOff);
            final Node right = new Node(scheduler, n - 2, cutOff);
            scheduler.invoke(left, right);
            result = left.result + right.result;
        }
    }

    private static final class Task extends RecursiveTask<Long> {
        private static final long serialVersionUID = 1;

        private final int n;
        private final int cutOff;

        Task(int n, int cutOff) {
            this.n = n;
            this.cutOff = cutOff;
        }

        @Override
        protected Long compute() {
            if (n <= cutOff) {
                return LeavesKt.naiveFib(n);
            }
            final Task left = new Task(n - 1, cutOff);
            final Task right = new Task(n - 2, cutOff);
            right.fork();
            return left.compute() + right.join();
        }
    }
}
