package dev.latencyhiding.benchmarks.paper;

import dev.latencyhiding.benchmarks.Better;
import dev.latencyhiding.benchmarks.Measurement;
import java.util.List;
import java.util.SortedMap;

/** The ratios that the literature's tables are made of. */
enum Ratio {
    /** What waiting costs a scheduler that hides it. */
    SLOWDOWN("waiting costs", "T(δ)/T(0)", Better.LOWER),
    /** What hiding gains over blocking. */
    GAIN("hiding gains", "T(CLASSIC)/T", Better.HIGHER),
    /** What being able to hide latency costs if there is none. */
    NOTHING_WAITS("nothing waits", "T/T(CLASSIC)", Better.LOWER),
    /** Over classic work stealing on one worker. */
    SPEEDUP("speed-up", "T(CLASSIC, P = 1)/T", Better.HIGHER),
    /** The more leaves wait, the less there is to compute. */
    SWEEP("sweep", "T/T(nobody waits)", Better.LOWER);

    private final String workload;
    private final String metric;
    private final Better better;

    Ratio(String workload, String metric, Better better) {
        this.workload = workload;
        this.metric = metric;
        this.better = better;
    }

    String workload() {
        return workload;
    }

    Measurement measurement(
            String dispatcher,
            SortedMap<String, String> parameters,
            double value,
            double spread,
            List<Double> samples) {
        return new Measurement(
                workload, parameters, dispatcher, metric, "", better, value, spread, samples, null, null, null);
    }
}
