package dev.latencyhiding;

import org.jspecify.annotations.Nullable;

/**
 * A hierarchical timing wheel (Varghese and Lauck, "Hashed and hierarchical timing wheels", SOSP '87):
 * inserting and removing are O(1), finding the next that is due is O(levels). Not safe for several
 * threads: {@link Timer} guards it.
 *
 * <p>Every level has 64 lists. A list of level n covers 64ⁿ ticks. A timeout is kept at the level of the
 * highest digit, in base 64, in which its tick differs from the present one. When time reaches a list
 * of level 0 its timeouts are due; when it reaches one of a higher level they move down.
 */
/*
 * Invariants
 *   T1  Every timeout in the wheel has tick > now.
 *   T2  A timeout at level n agrees with now in all digits above n, and its digit n is larger than
 *       now's. Hence what is at a lower level is due earlier, and no list wraps around.
 *   T3  Bit i of occupied[n] says whether list i of level n holds anything.
 */
final class TimerWheel {
    private static final int DIGIT_BITS = 6;
    private static final int LISTS = 1 << DIGIT_BITS;
    private static final int LEVELS = 8;

    /** The last tick that the digits reach. With ticks of 33 µs that is after 292 years. */
    static final long MAX_TICK = (1L << (DIGIT_BITS * LEVELS)) - 1;

    private final @Nullable Timeout[] heads = new Timeout[LEVELS * LISTS];
    private final long[] occupied = new long[LEVELS];
    private long now;

    TimerWheel(long now) {
        this.now = now;
    }

    /** What is due already will be due at the next tick. */
    void insert(Timeout timeout) {
        timeout.setTick(Math.max(timeout.tick(), now + 1));
        link(timeout);
    }

    private void link(Timeout timeout) {
        final int highestBit = Long.SIZE - 1 - Long.numberOfLeadingZeros(now ^ timeout.tick());
        final int level = highestBit / DIGIT_BITS;
        final int list = (int) (timeout.tick() >>> (level * DIGIT_BITS)) & (LISTS - 1);
        final int place = level * LISTS + list;
        final Timeout head = heads[place];
        timeout.setPlace(place);
        timeout.previous = null;
        timeout.next = head;
        if (head != null) {
            head.previous = timeout;
        }
        heads[place] = timeout;
        occupied[level] |= 1L << list;
    }

    /** Returns false if it is not in the wheel. */
    boolean remove(Timeout timeout) {
        final int place = timeout.place();
        if (place == Timeout.NOWHERE) {
            return false;
        }
        final Timeout previous = timeout.previous;
        final Timeout next = timeout.next;
        if (previous != null) {
            previous.next = next;
        } else {
            heads[place] = next;
            if (next == null) {
                occupied[place / LISTS] &= ~(1L << (place % LISTS));
            }
        }
        if (next != null) {
            next.previous = previous;
        }
        timeout.setPlace(Timeout.NOWHERE);
        timeout.previous = null;
        timeout.next = null;
        return true;
    }

    /**
     * Moves time forward and takes out what is due, linked by {@code next}, earliest first up to a list.
     *
     * @param time the present tick; an earlier one than before has no effect
     */
    @Nullable Timeout advance(long time) {
        Timeout due = null;
        Timeout lastDue = null;
        for (long next = nextTick(); next <= time; next = nextTick()) {
            now = next;
            for (Timeout t = takeListAt(next); t != null; ) {
                final Timeout following = t.next;
                t.next = null;
                t.previous = null;
                if (t.tick() > next) {
                    link(t);
                } else {
                    t.setPlace(Timeout.NOWHERE);
                    if (lastDue == null) {
                        due = t;
                    } else {
                        lastDue.next = t;
                    }
                    lastDue = t;
                }
                t = following;
            }
        }
        now = Math.max(now, time);
        return due;
    }

    /** When something is due or moves down next; {@code Long.MAX_VALUE} if the wheel is empty. */
    long nextTick() {
        for (int level = 0; level < LEVELS; level++) {
            if (occupied[level] != 0) {
                final int shift = level * DIGIT_BITS;
                final int list = Long.numberOfTrailingZeros(occupied[level]); // T2: the smallest is the next
                final long above = now >>> (shift + DIGIT_BITS);
                return ((above << DIGIT_BITS) | list) << shift;
            }
        }
        return Long.MAX_VALUE;
    }

    /** Empties the lowest occupied level's next list, which begins at this tick. */
    private @Nullable Timeout takeListAt(long tick) {
        for (int level = 0; level < LEVELS; level++) {
            if (occupied[level] != 0) {
                final int list = (int) (tick >>> (level * DIGIT_BITS)) & (LISTS - 1);
                final Timeout head = heads[level * LISTS + list];
                heads[level * LISTS + list] = null;
                occupied[level] &= ~(1L << list);
                return head;
            }
        }
        return null;
    }
}
