package dev.latencyhiding.nio;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The pollers of a channel group. */
final class Pollers {
    private final List<Poller> all = new CopyOnWriteArrayList<>();
    private volatile boolean ended;

    /** The first takes part at once, the others when they are called. One that dies is replaced by what it adds. */
    void add(String name, Runnable task) {
        final Poller poller = new Poller(this, name, () -> poll(task), isHelperAdded());
        all.add(poller);
        if (!poller.helps() || ended) {
            poller.tryCall();
        }
    }

    private boolean isHelperAdded() {
        // A poller of another group may run a coroutine that makes this one: it replaces nobody here.
        if (Thread.currentThread() instanceof Poller dying && all.contains(dying)) {
            return dying.helps();
        }
        return !all.isEmpty();
    }

    private void poll(Runnable task) {
        try {
            task.run();
        } finally {
            all.remove((Poller) Thread.currentThread());
        }
    }

    void callHelper(long now) {
        for (Poller poller : all) {
            if (poller.tryCall(now)) {
                return;
            }
        }
    }

    /** How many operations they have completed. */
    long completed() {
        long completed = 0;
        for (Poller poller : all) {
            completed += poller.completed();
        }
        return completed;
    }

    /** The group was closed: each of them must see that, those that have never helped, too. */
    void end() {
        ended = true; // before the calls: who goes aside meanwhile sees it
        all.forEach(Poller::tryCall);
    }

    boolean isEnded() {
        return ended;
    }

    boolean haveStopped() {
        return all.isEmpty();
    }
}
