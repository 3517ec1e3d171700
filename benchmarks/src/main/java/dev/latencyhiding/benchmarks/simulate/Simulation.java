package dev.latencyhiding.benchmarks.simulate;

import static dev.latencyhiding.benchmarks.simulate.Dag.NONE;

/**
 * Runs a dag on P simulated workers. What all algorithms have in common is here: time, the running nodes,
 * the thieves; an algorithm says what a worker does when a node has finished, when a latency is over and
 * when it has nothing to do.
 *
 * <p>The model: time goes in whole units. A node takes its weight. An attempt to steal takes one unit, and so
 * does a mugging or the change to another deque; pushing and popping one's own deque takes none, it is part of the
 * node. In each unit the latencies that end come first, then the nodes that end, then the attempts that were begun
 * a unit ago, in the order in which the workers became thieves. Of the attempts on one deque in the same unit one
 * succeeds, as with a compare-and-set that the others lose.
 *
 * <p>Units in which no thief can find anything are skipped and their attempts counted, so that the time a
 * simulation takes depends on what happens and not on how long the latencies are.
 */
abstract class Simulation {
    final Dag dag;
    final int workers;
    final SplitMix random;
    final Tally tally = new Tally();

    private final EventQueue events = new EventQueue();
    private final Schedule schedule;
    private final int[] missingParents;
    private final int[] running;
    private final int[] thieves;
    private int thiefCount;
    private int finished;
    private int filledDeques;
    private long now;

    Simulation(Dag dag, int workers, long seed) {
        if (workers < 1) {
            throw new IllegalArgumentException("at least one worker, not " + workers);
        }
        this.dag = dag;
        this.workers = workers;
        random = new SplitMix(seed);
        schedule = new Schedule(dag);
        missingParents = dag.parents();
        running = new int[workers];
        thieves = new int[workers];
    }

    /** Runs the dag to its end, with worker 0 at the root and the others as thieves. Once only. */
    final Outcome run() {
        start(0, 0);
        for (int worker = 1; worker < workers; worker++) {
            search(worker);
        }
        while (finished < dag.size()) {
            step();
        }
        schedule.check();
        return Outcome.of(dag, workers, schedule.makespan(), tally);
    }

    private void step() {
        final long next = thiefCount > 0 && canFindWork() ? now + 1 : events.time();
        final int searching = thiefCount;
        tally.failedSteals += searching * (next - now - 1);
        now = next;
        while (!events.isEmpty() && events.time() == now) {
            if (events.isResume()) {
                tally.suspended--;
                resume(events.take());
            } else {
                final int worker = events.take();
                final int node = running[worker];
                if (node < dag.size()) {
                    finished++;
                }
                finish(worker, node);
            }
        }
        letThievesTry(searching);
    }

    /** The first thieves were there a unit ago and have made an attempt; those that join now have not. */
    private void letThievesTry(int searching) {
        final int present = thiefCount;
        thiefCount = 0;
        for (int i = 0; i < present; i++) {
            final int thief = thieves[i];
            if (i >= searching || !attempt(thief)) {
                thieves[thiefCount++] = thief;
            }
        }
    }

    /** A worker has finished a node: it pushes the children and calls {@link #start}, {@link #search} or neither. */
    abstract void finish(int worker, int node);

    /** The latency before this node is over. */
    abstract void resume(int node);

    /** One attempt of a thief to find work; true if it has started a node. */
    abstract boolean attempt(int thief);

    /** False if every attempt would be a failed steal, until the next event. */
    boolean canFindWork() {
        return filledDeques > 0;
    }

    /** Starts a node. Numbers past the dag's are vertices of the scheduler's own, of one unit. */
    final void start(int worker, int node) {
        running[worker] = node;
        if (node < dag.size()) {
            schedule.started(node, worker, now);
            events.addFinish(now + dag.weight(node), worker);
        } else {
            tally.ownVertices++;
            events.addFinish(now + 1, worker);
        }
    }

    /** Makes a worker a thief. */
    final void search(int worker) {
        thieves[thiefCount++] = worker;
    }

    /** Lets {@link #resume} be called when the latency after {@code node} is over. */
    final void await(int node) {
        tally.suspended++;
        tally.maxSuspended = Math.max(tally.maxSuspended, tally.suspended);
        events.addResume(now + dag.latency(node), dag.left(node));
    }

    /** Notes that one parent of {@code child} is finished; true if it was the last. */
    final boolean enables(int child) {
        return child != NONE && --missingParents[child] == 0;
    }

    /** Whether a node ends by waiting, so that its continuation comes back later. */
    final boolean blocks(int node) {
        return dag.latency(node) > 0;
    }

    /** Pushes the children that a node has made ready. */
    final void pushChildren(int node, NodeDeque deque) {
        if (enables(dag.left(node)) && !blocks(node)) {
            pushBottom(deque, dag.left(node));
        }
        if (enables(dag.right(node))) {
            pushBottom(deque, dag.right(node));
        }
    }

    /** Lets a worker start the bottom node of its deque, or become a thief if there is none. */
    final void goOn(int worker, NodeDeque deque) {
        final int next = popBottom(deque);
        if (next == NONE) {
            search(worker);
        } else {
            start(worker, next);
        }
    }

    final void pushBottom(NodeDeque deque, int node) {
        if (deque.isEmpty()) {
            filledDeques++;
        }
        deque.pushBottom(node);
    }

    final int popBottom(NodeDeque deque) {
        final int node = deque.popBottom();
        notePopped(deque, node);
        return node;
    }

    /** A steal from the top: {@link Dag#NONE} if there is nothing, or another thief was first in this unit. */
    final int steal(NodeDeque deque) {
        final int node = claim(deque) ? deque.popTop() : NONE;
        notePopped(deque, node);
        if (node == NONE) {
            tally.failedSteals++;
        } else {
            tally.steals++;
        }
        return node;
    }

    /** True for the first thief that wants something of this deque in this unit, if there is something. */
    final boolean claim(NodeDeque deque) {
        if (deque.isEmpty() || deque.takenAt == now) {
            return false;
        }
        deque.takenAt = now;
        return true;
    }

    private void notePopped(NodeDeque deque, int node) {
        if (node != NONE && deque.isEmpty()) {
            filledDeques--;
        }
    }
}
