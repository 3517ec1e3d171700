package dev.latencyhiding;

/** Programs by {@code invoke}, and where to run them, for tests. */
final class ForkJoinTrees {
    private ForkJoinTrees() {}

    static LatencyHidingScheduler scheduler(Policy policy, int parallelism) {
        return LatencyHidingScheduler.builder()
                .name("fork-join")
                .policy(policy)
                .parallelism(parallelism)
                .build();
    }

    /** The number of leaves, counted by a tree that has as many. */
    static int sum(LatencyHidingScheduler scheduler, int leaves) {
        if (leaves == 1) {
            return 1;
        }
        final int[] results = new int[2];
        scheduler.invoke(
                () -> results[0] = sum(scheduler, leaves / 2), () -> results[1] = sum(scheduler, leaves - leaves / 2));
        return results[0] + results[1];
    }
}
