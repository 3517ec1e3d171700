package dev.latencyhiding.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who of a group's pollers takes part. The tasks here complete something all the time, or now and then. */
@Timeout(60)
class PollersTest {
    private final Pollers pollers = new Pollers();
    private volatile boolean idle;
    private volatile boolean over;

    @AfterEach
    void end() {
        over = true;
        pollers.end();
        await(pollers::haveStopped);
    }

    @Test
    void first_isBusy_helperIsCalled() {
        final CountDownLatch helping = new CountDownLatch(1);
        pollers.add("first", this::complete);
        pollers.add("helper", helping::countDown);
        assertTrue(reached(helping));
    }

    @Test
    void first_hasLittleToDo_helperIsNotCalled() {
        idle = true;
        final CountDownLatch helping = new CountDownLatch(1);
        pollers.add("first", this::complete);
        pollers.add("helper", helping::countDown);
        await(() -> pollers.completed() > 1_000);
        assertEquals(1, helping.getCount());
    }

    @Test
    void helper_hasTooLittleToDo_isAsideUntilCalledAgain() {
        final AtomicReference<Poller> helper = new AtomicReference<>();
        pollers.add("first", this::complete);
        pollers.add("helper", () -> {
            idle = true;
            helper.set((Poller) Thread.currentThread());
            complete();
        });
        await(() -> helper.get() != null && isAside(helper.get()));
        final long before = pollers.completed();
        await(() -> pollers.completed() > before + 1_000);
        assertTrue(isAside(helper.get()));

        final long completedByHelper = helper.get().completed();
        idle = false;
        await(() -> helper.get().completed() > completedByHelper);
    }

    @Test
    void end_helperIsAside_itGoesOn() {
        final AtomicReference<Poller> helper = new AtomicReference<>();
        final CountDownLatch wentOn = new CountDownLatch(1);
        pollers.add("first", this::complete);
        pollers.add("helper", () -> {
            idle = true;
            helper.set((Poller) Thread.currentThread());
            while (!pollers.isEnded()) {
                LockSupport.parkNanos(50_000);
                completeOne();
            }
            wentOn.countDown();
        });
        await(() -> helper.get() != null && isAside(helper.get()));
        pollers.end();
        assertTrue(reached(wentOn));
    }

    @Test
    void end_helperWasNeverCalled_itsTaskIsRun() {
        idle = true;
        final CountDownLatch ran = new CountDownLatch(1);
        pollers.add("first", this::complete);
        pollers.add("helper", ran::countDown);
        pollers.end();
        assertTrue(reached(ran));
    }

    @Test
    void first_dies_whatItAddsTakesPartAtOnce() {
        final CountDownLatch replaced = new CountDownLatch(1);
        final CountDownLatch helperIsKnown = new CountDownLatch(1);
        pollers.add("first", () -> {
            assertTrue(reached(helperIsKnown));
            pollers.add("replacement", replaced::countDown);
        });
        pollers.add("helper", () -> {});
        helperIsKnown.countDown();
        assertTrue(reached(replaced));
    }

    @Test
    void add_onPollerOfAnotherGroup_firstTakesPartAtOnce() {
        final Pollers other = new Pollers();
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch added = new CountDownLatch(1);
        final CountDownLatch helping = new CountDownLatch(1);
        pollers.add("first", this::complete);
        pollers.add("helper", () -> {
            other.add("first of another", () -> {
                started.countDown();
                while (!over) { // one that ended before the next is added would make that the first
                    LockSupport.parkNanos(50_000);
                }
            });
            other.add("helper of another", helping::countDown);
            added.countDown();
        });
        assertTrue(reached(started));
        assertTrue(reached(added));
        assertEquals(1, helping.getCount());
        over = true;
        other.end();
        await(other::haveStopped);
    }

    private void complete() {
        while (!over) {
            completeOne();
            if (idle) {
                LockSupport.parkNanos(50_000);
            }
        }
    }

    private static void completeOne() {
        Objects.requireNonNull(Poller.beginHandler()).endHandler();
    }

    /** Only there a poller waits without a limit. */
    private static boolean isAside(Poller poller) {
        return poller.getState() == Thread.State.WAITING;
    }

    private static boolean reached(CountDownLatch latch) {
        try {
            return latch.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }
}
