package dev.latencyhiding;

import dev.latencyhiding.Stage.Actor;
import dev.latencyhiding.Stage.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A computation with latency on workers without threads, whose steps are taken in a random order. */
final class RandomWalk {
    private static final int WORKERS = 3;
    private static final int STEPS = 60;

    private final Random random;
    private final Stage stage = new Stage(WORKERS);
    private final List<Suspension> open = new ArrayList<>();

    /** Nodes that may still be made, so that the walk ends. */
    private int budget = 40;

    RandomWalk(long seed) {
        random = new Random(seed);
    }

    /** Ends with the check that every node ran once and every deque is clean. */
    void run() {
        for (int i = 0; i < STEPS; i++) {
            step(stage.actor(random.nextInt(WORKERS)));
        }
        while (!open.isEmpty()) {
            resume();
        }
        stage.drain();
        stage.assertAllDone();
    }

    private void step(Actor actor) {
        switch (random.nextInt(8)) {
            case 0, 1 -> actor.worker.execute(() -> compute(actor.worker));
            case 2 -> actor.step();
            case 3 -> actor.takeTurn();
            case 4 -> actor.steal();
            case 5 -> resume();
            case 6 -> release();
            default -> actor.worker.giveUpDeques();
        }
    }

    /** Spawns and blocks, a little of each. One that it waits for may come back before it returns. */
    private void compute(Worker worker) {
        for (int i = random.nextInt(3); i > 0 && budget > 0; i--) {
            worker.push(newNode());
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            final Suspension suspension = worker.openSuspension();
            stage.track(suspension.deque);
            open.add(suspension);
        }
        if (random.nextInt(3) == 0) {
            resume();
        }
    }

    private void resume() {
        if (!open.isEmpty()) {
            open.remove(random.nextInt(open.size())).resume(newNode());
        }
    }

    private void release() {
        if (!open.isEmpty()) {
            open.remove(random.nextInt(open.size())).release();
        }
    }

    private Node newNode() {
        budget--;
        return stage.node();
    }
}
