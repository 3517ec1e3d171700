package dev.latencyhiding.benchmarks.simulate;

/** What is counted during a run. */
final class Tally {
    long steals;
    long failedSteals;
    long muggings;
    long switches;
    long ownVertices;
    int maxSuspended;
    int maxDeques;

    int suspended;
    private int deques;

    void dequeCreated() {
        deques++;
        maxDeques = Math.max(maxDeques, deques);
    }

    void dequeFreed() {
        deques--;
    }
}
