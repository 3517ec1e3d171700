package dev.latencyhiding;

import org.jspecify.annotations.Nullable;

/** Makes {@link LatencyHidingScheduler#shared()}, as the system properties say. */
final class SharedScheduler {
    private static volatile @Nullable LatencyHidingScheduler shared;

    private SharedScheduler() {}

    static LatencyHidingScheduler get() {
        final LatencyHidingScheduler made = shared;
        return made != null ? made : make();
    }

    /** Not in a static initialiser: that would hide a bad system property behind other errors. */
    private static synchronized LatencyHidingScheduler make() {
        LatencyHidingScheduler made = shared;
        if (made == null) {
            made = new LatencyHidingScheduler(
                    LatencyHidingScheduler.builder()
                            .name(name())
                            .parallelism(parallelism())
                            .config(),
                    false);
            shared = made;
        }
        return made;
    }

    private static String name() {
        final String property = System.getProperty(LatencyHidingScheduler.NAME_PROPERTY, "LatencyHiding");
        if (property.isBlank()) {
            throw new IllegalArgumentException(
                    "system property " + LatencyHidingScheduler.NAME_PROPERTY + " must not be blank");
        }
        return property;
    }

    private static int parallelism() {
        final String property = System.getProperty(LatencyHidingScheduler.PARALLELISM_PROPERTY);
        if (property == null) {
            return Runtime.getRuntime().availableProcessors();
        }
        int parallelism;
        try {
            parallelism = Integer.parseInt(property.strip());
        } catch (NumberFormatException e) {
            parallelism = 0;
        }
        if (parallelism < 1 || parallelism > LatencyHidingScheduler.MAX_PARALLELISM) {
            throw new IllegalArgumentException("system property " + LatencyHidingScheduler.PARALLELISM_PROPERTY
                    + " must be a number from 1 to " + LatencyHidingScheduler.MAX_PARALLELISM + ": " + property);
        }
        return parallelism;
    }
}
