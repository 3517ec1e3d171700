package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.workloads.Scale;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a child JVM is told when it is started.
 *
 * @param workload name of the workload
 * @param scale how large
 * @param dispatcher name of the dispatcher
 * @param dispatcherClass the class of a dispatcher that is not known by name
 * @param parallelism the number of workers
 * @param limit how long a single run may take
 * @param flame where to write a flame graph
 */
record ChildSpec(
        String workload,
        Scale scale,
        String dispatcher,
        @Nullable String dispatcherClass,
        int parallelism,
        Duration limit,
        @Nullable Path flame) {

    private static final String NONE = "-";

    List<String> toArguments() {
        return List.of(
                workload,
                scale.name(),
                dispatcher,
                Optional.ofNullable(dispatcherClass).orElse(NONE),
                Integer.toString(parallelism),
                limit.toString(),
                flame == null ? NONE : flame.toString());
    }

    static ChildSpec ofArguments(String... args) {
        return new ChildSpec(
                args[0],
                Scale.valueOf(args[1]),
                args[2],
                args[3].equals(NONE) ? null : args[3],
                Integer.parseInt(args[4]),
                Duration.parse(args[5]),
                args[6].equals(NONE) ? null : Path.of(args[6]));
    }
}
