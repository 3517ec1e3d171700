package dev.latencyhiding;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts of one worker, or of all other threads together. A worker writes plain memory that nobody
 * else writes; readers sum over all on demand.
 */
@SuppressWarnings("EnumOrdinal") // an index into cells that are never stored
abstract class Counters {
    abstract void add(Counter counter, long delta);

    abstract long get(Counter counter);

    final void increment(Counter counter) {
        add(counter, 1);
    }

    /** Counts a deque that went from one state to another. */
    final void moved(DequeState from, DequeState to) {
        if (from != DequeState.ACTIVE) {
            add(Counter.of(from), -1);
        }
        if (to != DequeState.ACTIVE) {
            add(Counter.of(to), 1);
        }
    }

    /**
     * Written by one thread only. Workers know theirs by this type and no other: else the compiler puts both kinds into
     * each place of the scheduler's loop where something is counted.
     */
    static final class OfWorker extends Counters {
        private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

        /** Longs in a cache line: kept free on both sides, so that counters share no line with others. */
        private static final int LINE = 8;

        private final long[] cells = new long[LINE + Counter.COUNT + LINE];

        @Override
        void add(Counter counter, long delta) {
            final int cell = LINE + counter.ordinal();
            // opaque: whole longs for readers, no order; one writer, so no lost update
            CELL.setOpaque(cells, cell, cells[cell] + delta);
        }

        @Override
        long get(Counter counter) {
            return (long) CELL.getOpaque(cells, LINE + counter.ordinal());
        }
    }

    /** Written by any thread that is not a worker, and by workers that died. */
    static final class Shared extends Counters {
        private final LongAdder[] adders = new LongAdder[Counter.COUNT];

        Shared() {
            for (int i = 0; i < adders.length; i++) {
                adders[i] = new LongAdder();
            }
        }

        @Override
        void add(Counter counter, long delta) {
            adders[counter.ordinal()].add(delta);
        }

        @Override
        long get(Counter counter) {
            return adders[counter.ordinal()].sum();
        }
    }
}
