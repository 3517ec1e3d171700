package dev.latencyhiding;

import org.jetbrains.lincheck.Lincheck;

/**
 * Small concurrent scenarios for Lincheck, which runs them in many different interleavings and
 * reports a failed assertion, an exception or a deadlock with the interleaving that led there.
 */
final class Interleavings {
    /** How much longer a test runs that was asked to take its time. */
    private static final int LONG_FACTOR = 20;

    private Interleavings() {}

    /** Scales with the system property {@code latencyhiding.stress}. */
    static int scaled(int count) {
        return "long".equals(System.getProperty("latencyhiding.stress")) ? count * LONG_FACTOR : count;
    }

    /** Runs the scenario in at least so many interleavings, or in all there are. */
    static void check(int invocations, Runnable scenario) {
        Lincheck.runConcurrentTest(scaled(invocations), scenario);
    }

    /** Runs the bodies on a thread each, waits for all, and passes an exception on. */
    static void inParallel(Runnable... bodies) {
        final Body[] threads = new Body[bodies.length];
        for (int i = 0; i < bodies.length; i++) {
            threads[i] = new Body(bodies[i]);
        }
        for (Body thread : threads) {
            thread.start();
        }
        for (Body thread : threads) {
            thread.await();
        }
        for (Body thread : threads) {
            if (thread.error != null) {
                throw new AssertionError("a thread of the scenario failed", thread.error);
            }
        }
    }

    /** A class of its own: on newer JDKs Lincheck does not see threads that are made of a Runnable. */
    private static final class Body extends Thread {
        private final Runnable body;
        private volatile Throwable error;

        Body(Runnable body) {
            this.body = body;
        }

        @Override
        public void run() {
            try {
                body.run();
            } catch (Throwable thrown) {
                error = thrown;
            }
        }

        private void await() {
            final Thread thread = this; // Lincheck intercepts join on this static type only
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
