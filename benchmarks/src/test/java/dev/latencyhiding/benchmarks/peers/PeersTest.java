package dev.latencyhiding.benchmarks.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import kotlin.coroutines.EmptyCoroutineContext;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

final class PeersTest {
    private static final int TASKS = 1000;

    @TestFactory
    Stream<DynamicTest> everyDispatcher_runsWhatItIsGiven() {
        return Peers.known().stream()
                .filter(spec -> spec.role() != PeerSpec.Role.REFERENCE)
                .map(spec -> DynamicTest.dynamicTest(spec.name(), () -> {
                    Peer peer = spec.start(2);
                    CountDownLatch ran = new CountDownLatch(2 * TASKS);
                    for (int i = 0; i < TASKS; i++) {
                        peer.dispatcher().dispatch(EmptyCoroutineContext.INSTANCE, ran::countDown);
                        peer.waiting().dispatch(EmptyCoroutineContext.INSTANCE, ran::countDown);
                    }
                    assertTrue(ran.await(1, TimeUnit.MINUTES), ran.toString());
                }));
    }

    @Test
    void known_oursIsFirst_defaultSecond() {
        assertEquals(Peers.OURS, Peers.known().get(0).name());
        assertEquals(Peers.DEFAULT, Peers.known().get(1).name());
    }

    @Test
    void extraDispatcher_ofAClassThatIsNone_isRefused() {
        PeerSpec spec = ExtraDispatcher.of("X", Object.class.getName());

        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> spec.start(2));

        assertTrue(refusal.getMessage().contains("neither a CoroutineDispatcher nor an Executor"));
    }

    @Test
    void extraDispatcher_withoutSuitableConstructor_isRefused() {
        PeerSpec spec = ExtraDispatcher.of("X", Integer.class.getName());

        // Integer(int) is a public constructor, but an Integer is no dispatcher.
        assertThrows(IllegalArgumentException.class, () -> spec.start(2));
        PeerSpec noConstructor = ExtraDispatcher.of("X", Math.class.getName());
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> noConstructor.start(2));
        assertTrue(refusal.getMessage().contains("has no public constructor"));
    }
}
