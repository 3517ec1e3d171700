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
 * @param scale how large
 * @param dispatcher name of the dispatcher
 * @param dispatcherClass the class of a dispatcher that is not known by name
 * @param parallelism the number of workers
 * @param limit how long a single run may take
 * @param flame where to write a flame graph
 */
record ChildSpec(
        Scale scale,
        String dispatcher,
        @Nullable String dispatcherClass,
        int parallelism,
        Duration limit,
        @Nullable Path flame) {

    private static final String NONE = "-";

    List<String> toArguments() {
        return List.of(
                scale.name(),
                dispatcher,
                Optional.ofNullable(dispatcherClass).orElse(NONE),
                Integer.toString(parallelism),
                limit.toString(),
                flame == null ? NONE : flame.toString());
    }

    static ChildSpec ofArguments(String... args) {
        return new ChildSpec(
                Scale.valueOf(args[0]),
                args[1],
                args[2].equals(NONE) ? null : args[2],
                Integer.parseInt(args[3]),
                Duration.parse(args[4]),
                args[5].equals(NONE) ? null : Path.of(args[5]));
    }
}
