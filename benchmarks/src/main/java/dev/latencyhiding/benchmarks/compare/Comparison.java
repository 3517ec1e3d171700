package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.Better;
import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.peers.PeerSpec;
import dev.latencyhiding.benchmarks.peers.PeerSpec.Role;
import dev.latencyhiding.benchmarks.peers.Peers;
import dev.latencyhiding.benchmarks.workloads.Sample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** The samples of one case, by metric, dispatcher and round; makes measurements of them. */
final class Comparison {
    private final String workload;
    private final SortedMap<String, String> parameters;
    private final int rounds;
    private final Map<String, Row> metrics = new LinkedHashMap<>();

    Comparison(String workload, SortedMap<String, String> parameters, int rounds) {
        this.workload = workload;
        this.parameters = parameters;
        this.rounds = rounds;
    }

    /** A metric with the samples of each dispatcher. */
    private record Row(String unit, Better better, Map<PeerSpec, double[]> samples) {}

    void add(PeerSpec peer, int round, List<Sample> samples) {
        for (Sample sample : samples) {
            double[] values = metrics.computeIfAbsent(
                            sample.metric(), metric -> new Row(sample.unit(), sample.better(), new LinkedHashMap<>()))
                    .samples()
                    .computeIfAbsent(peer, ignored -> missing());
            values[round] = sample.value();
        }
    }

    private double[] missing() {
        double[] values = new double[rounds];
        Arrays.fill(values, Double.NaN);
        return values;
    }

    /**
     * Those that are worth measuring again: all that may still turn out to be the best, and those that ratios refer
     * to. A dispatcher is out if it is behind by more than the factor in every metric; with no value yet it is not.
     */
    List<PeerSpec> contenders(List<PeerSpec> peers, double factor) {
        return peers.stream()
                .filter(peer -> isAlwaysMeasured(peer)
                        || metrics.values().stream()
                                .noneMatch(row -> row.samples().containsKey(peer))
                        || metrics.values().stream().anyMatch(row -> isWithin(factor, row, peer)))
                .toList();
    }

    private static boolean isAlwaysMeasured(PeerSpec peer) {
        return switch (peer.role()) {
            case OURS, VARIANT, BOUND -> true;
            case PEER, REFERENCE -> peer.name().equals(Peers.DEFAULT);
        };
    }

    private static boolean isWithin(double factor, Row row, PeerSpec peer) {
        double[] samples = row.samples().get(peer);
        if (samples == null) {
            return false;
        }
        double value = Statistics.median(samples);
        return row.samples().entrySet().stream()
                .filter(rival -> rival.getKey().role() != Role.BOUND)
                .mapToDouble(rival -> Statistics.median(rival.getValue()))
                .allMatch(rival -> row.better() == Better.LOWER ? value <= factor * rival : factor * value >= rival);
    }

    /** In the order of {@code peers}. */
    List<Measurement> measurements(List<PeerSpec> peers) {
        List<Measurement> measurements = new ArrayList<>();
        metrics.forEach((metric, row) -> {
            for (PeerSpec peer : peers) {
                double[] samples = row.samples().get(peer);
                if (samples != null) {
                    measurements.add(measurement(metric, row, peer, samples));
                }
            }
        });
        return measurements;
    }

    private Measurement measurement(String metric, Row row, PeerSpec peer, double[] samples) {
        return new Measurement(
                workload,
                parameters,
                peer.name(),
                metric,
                row.unit(),
                row.better(),
                Statistics.median(samples),
                Statistics.spread(samples),
                Arrays.stream(samples).boxed().toList(),
                ratio(samples, samplesOf(Peers.DEFAULT, row)),
                ratio(samples, bestPeer(row, peer)),
                ratio(samples, samplesOf(Peers.BOUND, row)));
    }

    private static @Nullable Double ratio(double[] samples, double @Nullable [] units) {
        return units == null ? null : Statistics.ratio(samples, units);
    }

    private static double @Nullable [] samplesOf(String name, Row row) {
        return row.samples().entrySet().stream()
                .filter(entry -> entry.getKey().name().equals(name))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    private static double @Nullable [] bestPeer(Row row, PeerSpec self) {
        double @Nullable [] best = null;
        for (Map.Entry<PeerSpec, double[]> entry : row.samples().entrySet()) {
            if (entry.getKey().role() == Role.PEER && !entry.getKey().equals(self)) {
                double[] samples = entry.getValue();
                if (best == null || row.better().isBetter(Statistics.median(samples), Statistics.median(best))) {
                    best = samples;
                }
            }
        }
        return best;
    }
}
