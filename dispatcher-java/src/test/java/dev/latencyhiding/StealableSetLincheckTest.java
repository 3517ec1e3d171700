package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Two stealable sets and rebalancing between them behave as if every add, remove and move were one
 * step, and afterwards each deque is where it says it is (S1) and nothing else is in the slots (S2).
 * A deque that is listed although its owner took it out would be stolen from by surprise and could
 * never be listed again.
 *
 * <p>As in the scheduler, a deque is added and removed by its owner only, hence a group for each
 * deque. Anyone moves; but of two that do at a time one may miss, because it looks at the size without
 * the lock, so that is a scenario of its own.
 *
 * <p>Fails if StealableSet.moveRandom passes through {@code deque.set = null}, if remove does not
 * check {@code deque.set == set} under the lock, if the deque that fills the gap does not get its new
 * {@code indexInSet}, or if the last slot is not nulled.
 */
public class StealableSetLincheckTest {
    private static final int SEED = 7;

    private final StealableSet[] sets = {new StealableSet(0), new StealableSet(1)};
    private final ProwsDeque[] deques = {new ProwsDeque(), new ProwsDeque(), new ProwsDeque()};

    @Operation(nonParallelGroup = "owner of 0")
    public boolean add0() {
        return add(0, 0);
    }

    @Operation(nonParallelGroup = "owner of 0")
    public int remove0() {
        return remove(0);
    }

    @Operation(nonParallelGroup = "owner of 1")
    public boolean add1() {
        return add(1, 0);
    }

    @Operation(nonParallelGroup = "owner of 1")
    public int remove1() {
        return remove(1);
    }

    @Operation(nonParallelGroup = "owner of 2")
    public boolean add2() {
        return add(2, 1);
    }

    @Operation(nonParallelGroup = "owner of 2")
    public boolean isListed2() {
        return deques[2].inStealableSet();
    }

    @Operation(nonParallelGroup = "rebalancer")
    public int moveUp() {
        return indexOf(StealableSet.moveRandom(sets[0], sets[1], new XorShift(SEED)));
    }

    @Operation(nonParallelGroup = "rebalancer")
    public int moveDown() {
        return indexOf(StealableSet.moveRandom(sets[1], sets[0], new XorShift(SEED)));
    }

    /** S1 and S2. */
    @Validate
    public void validate() {
        validate(sets, deques);
    }

    private static void validate(StealableSet[] sets, ProwsDeque... deques) {
        int listed = 0;
        for (StealableSet set : sets) {
            for (int i = 0; i < 8; i++) {
                final ProwsDeque deque = set.get(i);
                if (i >= set.size()) {
                    assertNull(deque, "S2: a slot above the size");
                } else {
                    assertSame(set, deque.set, "S1: the set it is in");
                    assertEquals(i, deque.indexInSet, "S1: its index");
                    listed++;
                }
            }
        }
        for (ProwsDeque deque : deques) {
            listed -= deque.inStealableSet() ? 1 : 0;
        }
        assertEquals(0, listed, "as many deques say that they are listed as are");
    }

    private boolean add(int deque, int set) {
        return !deques[deque].inStealableSet() && sets[set].add(deques[deque]);
    }

    /** The set it was in, or -1. */
    private int remove(int deque) {
        return Arrays.asList(sets).indexOf(StealableSet.remove(deques[deque]));
    }

    private int indexOf(ProwsDeque deque) {
        for (int i = 0; i < deques.length; i++) {
            if (deques[i] == deque) {
                return i;
            }
        }
        return -1;
    }

    @Test
    void operations_modelChecked_linearizableAndValid() {
        check(new ModelCheckingOptions()
                .threads(3)
                .actorsPerThread(2)
                .invocationsPerIteration(Interleavings.scaled(150)));
        check(new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(4)
                .invocationsPerIteration(Interleavings.scaled(150)));
    }

    @Test
    void operations_stressed_linearizableAndValid() {
        check(new StressOptions().threads(3).actorsPerThread(3).invocationsPerIteration(Interleavings.scaled(300)));
    }

    private void check(Options<?, ?> options) {
        options.iterations(6)
                .actorsBefore(3)
                .actorsAfter(2)
                .minimizeFailedScenario(false)
                .sequentialSpecification(Specification.class)
                .check(getClass());
    }

    /** A thief that chooses without the lock gets a deque that was listed, or none. Fails if delete leaves a hole. */
    @Test
    void chooseRandom_whileOthersRemoveAndMove_wasListedOrNull() {
        Interleavings.check(150, () -> {
            final StealableSet set = new StealableSet(0);
            final StealableSet other = new StealableSet(1);
            final List<ProwsDeque> ever = List.of(new ProwsDeque(), new ProwsDeque(), new ProwsDeque());
            assertTrue(set.add(ever.get(0)));
            assertTrue(set.add(ever.get(1)));
            Interleavings.inParallel(
                    () -> assertSame(set, StealableSet.remove(ever.get(0))),
                    () -> {
                        assertTrue(other.add(ever.get(2)));
                        assertSame(ever.get(2), StealableSet.moveRandom(other, set, new XorShift(SEED)));
                    },
                    () -> {
                        final ProwsDeque chosen = set.chooseRandom(new XorShift(SEED));
                        assertTrue(chosen == null || ever.contains(chosen), "a deque that was listed");
                    });
            assertEquals(2, set.size());
            assertFalse(ever.get(0).inStealableSet());
        });
    }

    /** Fails, with a deadlock, if StealableSet.moveRandom locks {@code from} first (S3). */
    @Test
    void moveRandom_bothWaysWhileRemoved_sameDequesAndNoDeadlock() {
        Interleavings.check(200, () -> {
            final StealableSet[] sets = {new StealableSet(0), new StealableSet(1)};
            final ProwsDeque[] deques = {new ProwsDeque(), new ProwsDeque(), new ProwsDeque()};
            assertTrue(sets[0].add(deques[0]));
            assertTrue(sets[1].add(deques[1]));
            assertTrue(sets[0].add(deques[2]));
            Interleavings.inParallel(
                    () -> StealableSet.moveRandom(sets[0], sets[1], new XorShift(SEED)),
                    () -> StealableSet.moveRandom(sets[1], sets[0], new XorShift(SEED)),
                    () -> assertNotNull(StealableSet.remove(deques[0])));
            validate(sets, deques);
            assertFalse(deques[0].inStealableSet());
            assertEquals(2, sets[0].size() + sets[1].size());
        });
    }

    /** What two sets are, said sequentially. The order of the deques is part of it, because moving is by index. */
    public static final class Specification {
        private final List<List<Integer>> sets = List.of(new ArrayList<>(), new ArrayList<>());

        public boolean add0() {
            return add(0, 0);
        }

        public int remove0() {
            return remove(0);
        }

        public boolean add1() {
            return add(1, 0);
        }

        public int remove1() {
            return remove(1);
        }

        public boolean add2() {
            return add(2, 1);
        }

        public boolean isListed2() {
            return sets.get(0).contains(2) || sets.get(1).contains(2);
        }

        public int moveUp() {
            return move(sets.get(0), sets.get(1));
        }

        public int moveDown() {
            return move(sets.get(1), sets.get(0));
        }

        private boolean add(int deque, int set) {
            final boolean free = !sets.get(0).contains(deque) && !sets.get(1).contains(deque);
            return free && sets.get(set).add(deque);
        }

        private int remove(int deque) {
            for (int i = 0; i < sets.size(); i++) {
                final int index = sets.get(i).indexOf(deque);
                if (index >= 0) {
                    takeOut(sets.get(i), index);
                    return i;
                }
            }
            return -1;
        }

        private static int move(List<Integer> from, List<Integer> to) {
            if (from.isEmpty()) {
                return -1;
            }
            final int moved = takeOut(from, new XorShift(SEED).nextInt(from.size()));
            to.add(moved);
            return moved;
        }

        /** The last one fills the gap. */
        private static int takeOut(List<Integer> set, int index) {
            final int last = set.remove(set.size() - 1);
            return index == set.size() ? last : set.set(index, last);
        }
    }
}
