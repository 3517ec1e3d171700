package dev.latencyhiding.benchmarks.simulate;

import java.util.ArrayList;
import java.util.List;

/** The deques without an owner that thieves may find at one worker (ProWS-R). All operations take constant time. */
final class StealableSet {
    private final int worker;
    private final List<StealableDeque> deques = new ArrayList<>();

    StealableSet(int worker) {
        this.worker = worker;
    }

    int size() {
        return deques.size();
    }

    StealableDeque get(int index) {
        return deques.get(index);
    }

    void add(StealableDeque deque) {
        deque.listedAt = worker;
        deque.slot = deques.size();
        deques.add(deque);
    }

    /** Removes a deque that is in this set; the last one takes its place. */
    void remove(StealableDeque deque) {
        final StealableDeque last = deques.remove(deques.size() - 1);
        if (last != deque) {
            deques.set(deque.slot, last);
            last.slot = deque.slot;
        }
        deque.listedAt = StealableDeque.UNLISTED;
    }
}
