package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.peers.PeerSpec;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The JVMs of the dispatchers, one for each, started when they are first needed. Safe for several threads. */
final class Children implements AutoCloseable {
    private final Function<PeerSpec, Child> starter;
    private final Map<PeerSpec, Child> running = new ConcurrentHashMap<>();

    Children(Function<PeerSpec, Child> starter) {
        this.starter = starter;
    }

    Child of(PeerSpec peer) {
        return running.computeIfAbsent(peer, starter);
    }

    /** Gives up a JVM; the dispatcher gets another when it is needed again. */
    void discard(PeerSpec peer) {
        @Nullable Child lost = running.remove(peer);
        if (lost != null) {
            lost.close();
        }
    }

    @Override
    public void close() {
        running.values().parallelStream().forEach(Child::close);
    }
}
