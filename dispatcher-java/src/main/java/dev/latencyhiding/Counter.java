package dev.latencyhiding;

/** What is counted; {@link SchedulerStats} says what each means to a user. */
enum Counter {
    STEALS_TRIED,
    STEALS,
    MUGGINGS,
    WAKE_UPS,
    GUEST_RUNS,
    ARRIVALS_RUN,
    SUSPENSIONS_OPENED,
    SUSPENSIONS_RESUMED,
    SUSPENSIONS_RELEASED,
    EARLY_COMPLETIONS,
    DEQUES_LEFT,
    /** Goes up and down: the difference between changes to and from the state. */
    SUSPENDED_DEQUES,
    /** Goes up and down, as above. */
    RESUMABLE_DEQUES,
    /** Goes up and down, as above. */
    MUGGABLE_DEQUES,
    REBALANCED,
    PARKS,
    FAILED_NODES;

    static final int COUNT = values().length;

    /** The counter of the deques in a state that is not ACTIVE. */
    static Counter of(DequeState state) {
        return switch (state) {
            case SUSPENDED -> SUSPENDED_DEQUES;
            case RESUMABLE -> RESUMABLE_DEQUES;
            case MUGGABLE -> MUGGABLE_DEQUES;
            case ACTIVE -> throw new IllegalArgumentException("state is not counted: " + state);
        };
    }
}
