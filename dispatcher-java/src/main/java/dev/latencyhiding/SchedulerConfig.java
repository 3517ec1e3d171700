package dev.latencyhiding;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the builder collected, validated. The seed and the gates are for tests. */
record SchedulerConfig(
        String name,
        int parallelism,
        Policy policy,
        int maxSpareWorkers,
        boolean daemon,
        Thread.@Nullable UncaughtExceptionHandler handler,
        long seed,
        Supplier<Gate> gates) {}
