package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jol.info.ClassLayout;
import org.openjdk.jol.info.FieldLayout;
import org.openjdk.jol.info.GraphLayout;

/**
 * Where the JVM puts the fields. A million suspended deques must fit into memory, and what thieves
 * touch must be a cache line away from what the owner writes. The JVM moves fields within a class and
 * into the holes of its superclasses, so only the result can be trusted. To see it fail, remove
 * PaddedTop.hole or one of the paddings, or the call of pool.strip in ProwsWorker.suspendActive.
 */
class LayoutTest {
    private static final int CACHE_LINE = 64;

    @Test
    void suspendedDeque_empty_isSmall() {
        final ProwsDeque deque = suspendedEmptyDeque();

        final long size = GraphLayout.parseInstance(deque).totalSize();

        System.out.println("an empty suspended deque: " + size + " bytes");
        assertTrue(size <= 64, () -> GraphLayout.parseInstance(deque).toFootprint());
    }

    @Test
    void suspendedDeque_withItsSuspension_isSmall() {
        final Suspension suspension = new Suspension(null, suspendedEmptyDeque());

        final long size = GraphLayout.parseInstance(suspension).totalSize();

        System.out.println("with its suspension: " + size + " bytes");
        assertTrue(size <= 96, () -> GraphLayout.parseInstance(suspension).toFootprint());
    }

    @ParameterizedTest
    @ValueSource(strings = {"bottom", "cleared", "slots"})
    void workDeque_ownersField_isALineAwayFromTop(String field) {
        assertApart(WorkDeque.class, "top", field);
    }

    @ParameterizedTest
    @ValueSource(strings = {"progress", "opened"})
    void worker_ownersField_isALineAwayFromWhatThievesRead(String field) {
        assertApart(Worker.class, "active", field);
        assertApart(Worker.class, "home", field);
        assertApart(Worker.class, "set", field);
    }

    @Test
    void worker_watchdogsField_isALineAwayFromWhatThievesRead() {
        assertApart(Worker.class, "active", "progressAtLastLook");
    }

    @Test
    void counters_firstAndLast_areALineAwayFromTheEndsOfTheirArray() throws Exception {
        final Counters.OfWorker counters = new Counters.OfWorker();
        final long[] before = cellsOf(counters).clone();

        for (Counter counter : Counter.values()) {
            counters.increment(counter);
        }

        final long[] after = cellsOf(counters);
        final int free = CACHE_LINE / Long.BYTES;
        int written = 0;
        for (int i = 0; i < after.length; i++) {
            if (after[i] != before[i]) {
                written++;
                final int cell = i;
                assertTrue(cell >= free && cell < after.length - free, () -> "cell " + cell + " of " + after.length);
            }
        }
        assertEquals(Counter.COUNT, written);
    }

    private static ProwsDeque suspendedEmptyDeque() {
        final DequePool pool = new DequePool();
        final ProwsDeque deque = pool.take();
        deque.pushBottom(() -> {}, pool);
        deque.popBottom();
        deque.openSuspension();
        pool.strip(deque); // as ProwsWorker.suspendActive does
        assertTrue(deque.trySuspend());
        return deque;
    }

    /** Two fields that start 64 bytes apart, and do not cross a line, are never in one line. */
    private static void assertApart(Class<?> type, String one, String other) {
        final long distance =
                Math.abs(field(type, one).offset() - field(type, other).offset());
        assertTrue(
                distance >= CACHE_LINE,
                () -> one + " and " + other + " are " + distance + " bytes apart: "
                        + ClassLayout.parseClass(type).toPrintable());
    }

    private static FieldLayout field(Class<?> type, String name) {
        final List<FieldLayout> fields = ClassLayout.parseClass(type).fields().stream()
                .filter(field -> field.name().equals(name))
                .toList();
        assertEquals(1, fields.size(), () -> "fields named " + name + " in " + type);
        return fields.get(0);
    }

    private static long[] cellsOf(Counters.OfWorker counters) throws ReflectiveOperationException {
        final Field cells = Counters.OfWorker.class.getDeclaredField("cells");
        cells.setAccessible(true);
        return (long[]) cells.get(counters);
    }
}
