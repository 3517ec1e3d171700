package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The table in DequeState, walked: from each state every method is tried, and those that the table
 * names lead where it says while all others leave the state alone or throw, naming both states. A
 * state change that the table does not have would let two workers own one deque.
 *
 * <p>Fails if a row of the table is changed in ProwsDeque, and if requireState does not throw.
 */
class DequeStateTest {
    /** What may be done to a deque; true if it did something. */
    private static final Map<String, Predicate<ProwsDeque>> METHODS = Map.of(
            "trySuspend", ProwsDeque::trySuspend,
            "leave(RESUMABLE)", deque -> leave(deque, DequeState.RESUMABLE),
            "leave(MUGGABLE)", deque -> leave(deque, DequeState.MUGGABLE),
            "deliver", DequeStateTest::deliver,
            "withdraw", ProwsDeque::withdraw,
            "tryClaim(SUSPENDED)", deque -> deque.tryClaim(DequeState.SUSPENDED),
            "tryClaim(RESUMABLE)", deque -> deque.tryClaim(DequeState.RESUMABLE),
            "tryClaim(MUGGABLE)", deque -> deque.tryClaim(DequeState.MUGGABLE),
            "tryMarkMuggable", ProwsDeque::tryMarkMuggable);

    /** Which methods lead from one state to another. All pairs that are not here are impossible. */
    private static final Map<String, List<String>> TABLE = Map.of(
            "ACTIVE to SUSPENDED", List.of("trySuspend"),
            "ACTIVE to MUGGABLE", List.of("leave(MUGGABLE)"),
            "ACTIVE to RESUMABLE", List.of("leave(RESUMABLE)"),
            "SUSPENDED to RESUMABLE", List.of("deliver", "withdraw"),
            "SUSPENDED to ACTIVE", List.of("tryClaim(SUSPENDED)"),
            "RESUMABLE to MUGGABLE", List.of("tryMarkMuggable"),
            "RESUMABLE to ACTIVE", List.of("tryClaim(RESUMABLE)"),
            "MUGGABLE to ACTIVE", List.of("tryClaim(MUGGABLE)"));

    @ParameterizedTest
    @EnumSource
    void methods_fromEachStateToEach_asInTheTable(DequeState from) {
        for (DequeState to : DequeState.values()) {
            if (to != from) {
                assertEquals(TABLE.getOrDefault(from + " to " + to, List.of()), thatLead(from, to), from + " to " + to);
            }
        }
    }

    private static List<String> thatLead(DequeState from, DequeState to) {
        final List<String> names = new ArrayList<>();
        METHODS.forEach((name, method) -> {
            final ProwsDeque deque = dequeThatIs(from);
            if (tryOn(deque, method, from)) {
                assertTrue(deque.state() != from, name + " said that it did something");
            } else {
                assertEquals(from, deque.state(), name + " said that it did nothing");
            }
            if (deque.state() == to) {
                names.add(name);
            }
        });
        names.sort(null);
        return names;
    }

    private static boolean tryOn(ProwsDeque deque, Predicate<ProwsDeque> method, DequeState from) {
        try {
            return method.test(deque);
        } catch (IllegalStateException refused) {
            assertTrue(
                    refused.getMessage()
                            .matches("a deque that is " + from + " cannot become (SUSPENDED|RESUMABLE|MUGGABLE)"),
                    refused.getMessage());
            return false;
        }
    }

    /** The methods for owners refuse loudly: whoever calls them on a deque that is not active has lost track. */
    @ParameterizedTest
    @EnumSource(names = "ACTIVE", mode = EnumSource.Mode.EXCLUDE)
    void ownerMethods_onDequeThatIsNotActive_throw(DequeState from) {
        for (String name : List.of("trySuspend", "leave(RESUMABLE)", "leave(MUGGABLE)")) {
            final ProwsDeque deque = dequeThatIs(from);
            assertThrows(
                    IllegalStateException.class,
                    () -> METHODS.get(name).test(deque),
                    () -> name + " of a deque that is " + from);
        }
    }

    /** One of two suspensions is withdrawn: the deque still waits for the other. */
    @ParameterizedTest
    @EnumSource
    void withdraw_notTheLast_leavesTheState(DequeState state) {
        final ProwsDeque deque = new ProwsDeque();
        deque.openSuspension();
        bring(deque, state);
        assertEquals(false, deque.withdraw());
        assertEquals(state, deque.state());
        assertEquals(1, deque.openSuspensions());
    }

    /** The other bits of the control word survive every change of state, and change none. */
    @ParameterizedTest
    @EnumSource
    void queuedBit_setAndCleared_leavesStateAndCount(DequeState state) {
        final ProwsDeque deque = new ProwsDeque();
        deque.openSuspension();
        bring(deque, state);
        assertTrue(deque.tryMarkQueued());
        assertEquals(false, deque.tryMarkQueued(), "queued twice");
        METHODS.values().forEach(method -> tryOn(deque, method, deque.state()));
        assertEquals(false, deque.tryMarkQueued(), "the bit was lost");
        final DequeState before = deque.state();
        final int open = deque.openSuspensions();
        assertEquals(before, deque.unmarkQueued());
        assertEquals(before, deque.state());
        assertEquals(open, deque.openSuspensions());
        assertTrue(deque.tryMarkQueued());
    }

    private static ProwsDeque dequeThatIs(DequeState state) {
        final ProwsDeque deque = new ProwsDeque();
        bring(deque, state);
        return deque;
    }

    private static void bring(ProwsDeque deque, DequeState state) {
        deque.openSuspension();
        if (state == DequeState.SUSPENDED) {
            assertTrue(deque.trySuspend());
        } else if (state != DequeState.ACTIVE) {
            deque.leave(state);
        }
    }

    private static boolean leave(ProwsDeque deque, DequeState next) {
        deque.leave(next);
        return true;
    }

    private static boolean deliver(ProwsDeque deque) {
        final Suspension suspension = new Stage(1).core.openDetached();
        suspension.tryResume(() -> {});
        return deque.deliver(suspension);
    }
}
