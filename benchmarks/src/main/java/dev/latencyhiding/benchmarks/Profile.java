package dev.latencyhiding.benchmarks;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * Where the processors' time went while a dispatcher ran a case: what explains a bar that was missed.
 *
 * @param workload the name of the workload
 * @param parameters what distinguishes the case from the workload's others
 * @param dispatcher the name of the dispatcher
 * @param parts the time of all processors for one run, in milliseconds; {@link Part#IDLE} makes it complete
 * @param hottest the methods with the most of it, the program's own left out
 */
public record Profile(
        String workload,
        SortedMap<String, String> parameters,
        String dispatcher,
        Map<Part, Double> parts,
        List<Method> hottest) {

    /** What a processor can be busy with. */
    public enum Part {
        /** What the workload itself computes. */
        PROGRAM("program"),
        /** Suspending, resuming and completing coroutines and futures. */
        COROUTINES("coroutines"),
        /** The dispatcher: queues, search, theft, timers. */
        SCHEDULER("scheduler"),
        /** Putting threads to sleep and waking them up. */
        SLEEPING("sleep, wake up"),
        /** Reading from and writing to sockets. */
        SOCKETS("sockets"),
        /** The JVM's compilers. */
        COMPILER("compiler"),
        /** The garbage collector. */
        COLLECTOR("collector"),
        /** What belongs to none of these. */
        OTHER("other"),
        /** Nothing. */
        IDLE("idle");

        private final String label;

        Part(String label) {
            this.label = label;
        }

        /**
         * What it is called in tables.
         *
         * @return a word or two
         */
        public String label() {
            return label;
        }
    }

    /**
     * A method, with what it calls in the JDK and the kernel.
     *
     * @param name its class and its name
     * @param millis processor time for one run, in milliseconds
     */
    public record Method(String name, double millis) {}

    /**
     * The time of all parts: how long a run took, times the number of processors.
     *
     * @return processor time for one run, in milliseconds
     */
    public double allMillis() {
        return parts.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /**
     * The time of a part.
     *
     * @param part the part
     * @return processor time for one run, in milliseconds
     */
    public double millis(Part part) {
        return parts.getOrDefault(part, 0.0);
    }
}
