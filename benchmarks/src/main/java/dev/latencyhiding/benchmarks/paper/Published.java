package dev.latencyhiding.benchmarks.paper;

import dev.latencyhiding.benchmarks.Measurement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The figures of the literature.
 *
 * <p>{@link #WEIDINGER}: the data of the author of ProWS-R (a fork of Rayon; up to 72 hardware threads; 5000 leaves of
 * fib(30)). {@link #MULLER_ACAR} and {@link #MULLER_ACAR_WS}: figure 11 of <em>Latency-Hiding Work Stealing</em>, SPAA
 * 2016, read off the plot (speed-up over classic work stealing on one processor; 5000 leaves).
 */
final class Published {
    static final String WEIDINGER = "Weidinger (ProWS-R)";
    static final String MULLER_ACAR = "Muller and Acar (LHWS)";
    static final String MULLER_ACAR_WS = "Muller and Acar (WS)";

    /** Weidinger's latencies, and how many times the work of a leaf they are: fib(30) takes 6.25 ms there. */
    static final Map<String, Double> WEIDINGER_LATENCIES = ordered("1 ms", 0.16, "50 ms", 8.0, "100 ms", 16.0);

    /** Muller and Acar's latencies, and how many times the work of a leaf: what LHWS gains on one processor, less 1. */
    static final Map<String, Double> MULLER_ACAR_LATENCIES = ordered("1 ms", 0.4, "50 ms", 1.0, "500 ms", 6.7);

    private static final int[] CORES = {1, 10, 20, 30, 50, 70};
    private static final double[][] SLOWDOWN = {
        {1.001, 1.005, 1.011, 1.014, 1.032, 1.019},
        {1.003, 1.020, 1.037, 1.063, 1.033, 1.029},
        {1.004, 1.035, 1.067, 1.104, 1.068, 1.059}
    };
    private static final double[][] GAIN = {
        {1.24, 1.15, 1.14, 1.14, 1.03, 0.98},
        {9.00, 8.68, 8.61, 8.31, 5.59, 3.61},
        {16.4, 15.6, 15.1, 14.7, 9.9, 6.4}
    };
    private static final double[] NOTHING_WAITS = {1.000, 1.001, 1.001, 1.001, 1.000, 1.000};

    private static final int[] PROCESSORS = {1, 10, 30};
    private static final double[][] SPEEDUP_LHWS = {{1.4, 7.2, 13}, {2.0, 10.6, 19}, {7.7, 39, 74}};
    private static final double[][] SPEEDUP_WS = {{1, 5.6, 12}, {1, 6.7, 16}, {1, 9.3, 26}};

    /** The shares of leaves that wait in Weidinger's parameter sweep. */
    static final List<Double> SHARES = List.of(0.0, 0.25, 0.5, 0.75, 1.0);

    private static final double[] SWEEP_LONG = {903, 704, 494, 295, 108};
    private static final double[] SWEEP_SHORT = {11.8, 10.2, 7.5, 5.1, 5.0};

    private Published() {}

    /** All of them, as measurements of the experiments they belong to. */
    static List<Measurement> all() {
        final List<Measurement> figures = new ArrayList<>();
        addByCores(figures, Ratio.SLOWDOWN, WEIDINGER, WEIDINGER_LATENCIES, CORES, SLOWDOWN);
        addByCores(figures, Ratio.GAIN, WEIDINGER, WEIDINGER_LATENCIES, CORES, GAIN);
        for (int i = 0; i < CORES.length; i++) {
            figures.add(
                    point(Ratio.NOTHING_WAITS, WEIDINGER, Map.of("P", Integer.toString(CORES[i])), NOTHING_WAITS[i]));
        }
        addByCores(figures, Ratio.SPEEDUP, MULLER_ACAR, MULLER_ACAR_LATENCIES, PROCESSORS, SPEEDUP_LHWS);
        addByCores(figures, Ratio.SPEEDUP, MULLER_ACAR_WS, MULLER_ACAR_LATENCIES, PROCESSORS, SPEEDUP_WS);
        addSweep(figures, Experiments.LONG_LEAVES, SWEEP_LONG);
        addSweep(figures, Experiments.SHORT_LEAVES, SWEEP_SHORT);
        return figures;
    }

    private static void addByCores(
            List<Measurement> figures,
            Ratio ratio,
            String source,
            Map<String, Double> latencies,
            int[] cores,
            double[][] values) {
        int row = 0;
        for (String latency : latencies.keySet()) {
            for (int i = 0; i < cores.length; i++) {
                figures.add(
                        point(ratio, source, Map.of("P", Integer.toString(cores[i]), "δ", latency), values[row][i]));
            }
            row++;
        }
    }

    private static void addSweep(List<Measurement> figures, String leaves, double[] times) {
        for (int i = 0; i < times.length; i++) {
            figures.add(point(
                    Ratio.SWEEP,
                    WEIDINGER,
                    Map.of("leaves", leaves, "waiting", Double.toString(SHARES.get(i))),
                    times[i] / times[0]));
        }
    }

    private static Measurement point(Ratio ratio, String source, Map<String, String> parameters, double value) {
        return ratio.measurement(source, new TreeMap<>(parameters), value, 0, List.of(value));
    }

    private static Map<String, Double> ordered(
            String one, double first, String two, double second, String three, double third) {
        final Map<String, Double> map = new LinkedHashMap<>();
        map.put(one, first);
        map.put(two, second);
        map.put(three, third);
        return map;
    }
}
