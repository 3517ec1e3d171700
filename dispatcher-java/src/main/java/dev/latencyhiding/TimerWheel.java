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

    /** So many timeouts are looked at rather than woken up for once more. */
    private static final int SHORT_LIST = 16;

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
            final Timeout list = takeNextList();
            now = next;
            for (Timeout t = list; t != null; ) {
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

    /**
     * How long one may sleep: not after the first timeout is due. Exact if that is in a short list; else it
     * may be when the list moves down, which is earlier. {@code Long.MAX_VALUE} if the wheel is empty.
     */
    long wakeTick() {
        final int level = lowestLevel();
        if (level == 0 || level == LEVELS) {
            return nextTick();
        }
        long first = Long.MAX_VALUE;
        int left = SHORT_LIST;
        for (Timeout t = heads[level * LISTS + nextList(level)]; t != null; t = t.next) {
            if (--left < 0) {
                return nextTick();
            }
            first = Math.min(first, t.tick());
        }
        return first;
    }

    /** When something is due or moves down next; {@code Long.MAX_VALUE} if the wheel is empty. */
    private long nextTick() {
        final int level = lowestLevel();
        if (level == LEVELS) {
            return Long.MAX_VALUE;
        }
        final int shift = level * DIGIT_BITS;
        final long above = now >>> (shift + DIGIT_BITS);
        return ((above << DIGIT_BITS) | nextList(level)) << shift;
    }

    /** Empties the lowest occupied level's next list, which begins at the next tick. */
    private @Nullable Timeout takeNextList() {
        final int level = lowestLevel();
        final int list = nextList(level);
        final Timeout head = heads[level * LISTS + list];
        heads[level * LISTS + list] = null;
        occupied[level] &= ~(1L << list);
        return head;
    }

    /** The lowest that holds anything, and so what is due next (T2); {@code LEVELS} if the wheel is empty. */
    private int lowestLevel() {
        int level = 0;
        while (level < LEVELS && occupied[level] == 0) {
            level++;
        }
        return level;
    }

    /** The first list of an occupied level that holds anything (T2: none wraps around). */
    private int nextList(int level) {
        return Long.numberOfTrailingZeros(occupied[level]);
    }
}
