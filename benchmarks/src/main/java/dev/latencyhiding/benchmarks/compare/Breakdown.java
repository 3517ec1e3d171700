package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.Profile.Part;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sorts samples of stacks by what the processor was busy with. A sample belongs to the innermost method that one of the
 * rules knows: so a queue of the JDK counts as whatever uses it, and so does Kotlin's own library.
 */
final class Breakdown {
    private record Rule(String prefix, Part part) {}

    /** The first that fits a method counts. */
    private static final List<Rule> RULES = List.of(
            new Rule("dev/latencyhiding/benchmarks/peers/", Part.SCHEDULER),
            new Rule("dev/latencyhiding/benchmarks/", Part.PROGRAM),
            new Rule("dev/latencyhiding/nio/", Part.SOCKETS),
            new Rule("dev/latencyhiding/", Part.SCHEDULER),
            new Rule("kotlinx/coroutines/scheduling/", Part.SCHEDULER),
            new Rule("kotlinx/coroutines/DefaultExecutor", Part.SCHEDULER),
            new Rule("kotlinx/coroutines/EventLoop", Part.SCHEDULER),
            new Rule("kotlinx/coroutines/", Part.COROUTINES),
            new Rule("java/util/concurrent/CompletableFuture", Part.COROUTINES),
            new Rule("java/util/concurrent/locks/LockSupport", Part.SLEEPING),
            new Rule("java/util/concurrent/ForkJoin", Part.SCHEDULER),
            new Rule("java/util/concurrent/ThreadPoolExecutor", Part.SCHEDULER),
            new Rule("java/util/concurrent/ScheduledThreadPoolExecutor", Part.SCHEDULER),
            new Rule("java/lang/VirtualThread", Part.SCHEDULER),
            new Rule("jdk/internal/vm/Continuation", Part.SCHEDULER),
            new Rule("sun/nio/ch/", Part.SOCKETS),
            new Rule("io/netty/", Part.SOCKETS),
            new Rule("Unsafe_Park", Part.SLEEPING),
            new Rule("Unsafe_Unpark", Part.SLEEPING));

    /** Threads of the JVM, by how their names begin. */
    private static final List<Rule> THREADS = List.of(
            new Rule("[C1 Compiler", Part.COMPILER),
            new Rule("[C2 Compiler", Part.COMPILER),
            new Rule("[GC Thread", Part.COLLECTOR),
            new Rule("[G1 ", Part.COLLECTOR));

    private final Map<Part, Long> parts = new EnumMap<>(Part.class);
    private final Map<String, Long> methods = new HashMap<>();
    private long samples;

    /**
     * Adds what async-profiler has collected.
     *
     * @param collapsed a line for each stack: the thread and its frames, outermost first, with semicolons between them,
     *     then how often it was seen
     */
    void add(String collapsed) {
        collapsed.lines().forEach(line -> {
            int end = line.lastIndexOf(' ');
            add(line.substring(0, end).split(";"), Long.parseLong(line.substring(end + 1)));
        });
    }

    private void add(String[] frames, long count) {
        samples += count;
        for (int i = frames.length - 1; i > 0; i--) {
            Part part = first(RULES, frames[i]);
            if (part != null) {
                parts.merge(part, count, Long::sum);
                if (part != Part.PROGRAM) {
                    methods.merge(frames[i], count, Long::sum);
                }
                return;
            }
        }
        Part part = first(THREADS, frames[0]);
        parts.merge(part == null ? Part.OTHER : part, count, Long::sum);
    }

    private static @Nullable Part first(List<Rule> rules, String name) {
        return rules.stream()
                .filter(rule -> name.startsWith(rule.prefix()))
                .map(Rule::part)
                .findFirst()
                .orElse(null);
    }

    /** The share of all samples; parts without any are left out. */
    Map<Part, Double> shares() {
        Map<Part, Double> shares = new EnumMap<>(Part.class);
        parts.forEach((part, count) -> shares.put(part, (double) count / samples));
        return shares;
    }

    /** The share of a method, with what it calls that no rule knows. */
    record Share(String method, double share) {}

    /** The methods with the largest shares, the largest first. */
    List<Share> hottest(int most) {
        return methods.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(most)
                .map(method -> new Share(readable(method.getKey()), (double) method.getValue() / samples))
                .toList();
    }

    /** {@code Turns.next} of {@code dev/latencyhiding/Turns.next}. */
    private static String readable(String frame) {
        return frame.substring(frame.lastIndexOf('/') + 1);
    }
}
