package dev.latencyhiding;

/** A gate without spurious wake-ups, so that a lost wake-up shows as a deadlock. */
final class MonitorGate implements Gate {
    private boolean permit;

    @Override
    public synchronized void park() {
        try {
            while (!permit) {
                wait();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        permit = false;
    }

    /** As if the time were up at once: whoever relies on being unparked must not nap. */
    @Override
    public void parkNanos(long nanos) {}

    @Override
    public synchronized void unpark() {
        permit = true;
        notifyAll();
    }
}
