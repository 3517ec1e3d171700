package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * The wheel against a sorted map, on random insertions, removals and steps of time that cross every
 * level: what is due is taken out at its tick, neither earlier nor later, and once.
 */
final class TimerWheelTest {
    @Test
    void advance_randomTimeouts_agreesWithSortedMap() {
        for (int seed = 0; seed < 50; seed++) {
            final Random random = new Random(seed);
            final TimerWheel wheel = new TimerWheel(0);
            final TreeMap<Long, Set<Integer>> model = new TreeMap<>();
            final List<Timeout> made = new ArrayList<>();
            long now = 0;
            for (int step = 0; step < 2_000; step++) {
                final int choice = random.nextInt(10);
                if (choice < 5) {
                    final long tick = now + 1 + (random.nextLong() >>> (22 + random.nextInt(42)));
                    final Timeout timeout = timeout(Math.min(tick, TimerWheel.MAX_TICK));
                    wheel.insert(timeout);
                    model.computeIfAbsent(timeout.tick(), t -> new TreeSet<>()).add(made.size());
                    made.add(timeout);
                } else if (choice < 7 && !made.isEmpty()) {
                    final int index = random.nextInt(made.size());
                    final Set<Integer> same = model.get(made.get(index).tick());
                    final boolean present = same != null && same.remove(index);
                    assertEquals(present, wheel.remove(made.get(index)), "seed " + seed);
                } else {
                    now += random.nextLong() >>> (30 + random.nextInt(34));
                    assertEquals(dueInModel(model, now), due(wheel, now, made), "seed " + seed);
                }
                assertTrue(wheel.wakeTick() <= nextInModel(model), "seed " + seed);
            }
            assertEquals(dueInModel(model, TimerWheel.MAX_TICK), due(wheel, TimerWheel.MAX_TICK, made));
            assertEquals(Long.MAX_VALUE, wheel.wakeTick());
        }
    }

    @Test
    void wakeTick_ofFew_isWhenTheFirstIsDue() {
        for (long tick : new long[] {1, 63, 64, 305, 30_517, 1_000_000_007}) {
            final TimerWheel wheel = new TimerWheel(0);
            wheel.insert(timeout(tick + 3));
            wheel.insert(timeout(tick));

            assertEquals(tick, wheel.wakeTick()); // else the timer's thread would wake up to find nothing due
        }
    }

    @Test
    void wakeTick_ofLongListFarAway_doesNotLookAtAll() {
        final TimerWheel wheel = new TimerWheel(0);
        for (int i = 0; i < 1_000; i++) {
            wheel.insert(timeout(64 * 64 + 700));
        }

        assertEquals(64 * 64, wheel.wakeTick());
    }

    @Test
    void insert_inThePast_isDueAtNextTick() {
        final TimerWheel wheel = new TimerWheel(0);
        wheel.advance(1000);
        wheel.insert(timeout(3));

        assertNull(wheel.advance(1000));
        final Timeout due = wheel.advance(1001);

        assertTrue(due != null && due.next == null);
    }

    @Test
    void remove_whatWasTakenOut_isRefused() {
        final TimerWheel wheel = new TimerWheel(0);
        final Timeout timeout = timeout(7);
        wheel.insert(timeout);

        wheel.advance(7);

        assertFalse(wheel.remove(timeout));
    }

    private static Timeout timeout(long tick) {
        final Timeout timeout = new Timeout.OfAction(() -> {});
        timeout.setTick(tick);
        return timeout;
    }

    private static Set<Integer> due(TimerWheel wheel, long now, List<Timeout> made) {
        final Set<Integer> due = new TreeSet<>();
        long before = 0;
        for (Timeout t = wheel.advance(now); t != null; t = t.next) {
            assertTrue(t.tick() >= before, "earliest first");
            before = t.tick();
            assertTrue(due.add(made.indexOf(t)), "once");
        }
        return due;
    }

    private static Set<Integer> dueInModel(NavigableMap<Long, Set<Integer>> model, long now) {
        final Set<Integer> due = new TreeSet<>();
        model.headMap(now, true).values().forEach(due::addAll);
        model.headMap(now, true).clear();
        return due;
    }

    private static long nextInModel(NavigableMap<Long, Set<Integer>> model) {
        return model.entrySet().stream()
                .filter(entry -> !entry.getValue().isEmpty())
                .mapToLong(Map.Entry::getKey)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }
}
