package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.Results;
import dev.latencyhiding.benchmarks.peers.Peers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Who is how good in one metric of one case of one run. The bound and the other policies of our scheduler do not
 * compete.
 */
record Contest(List<Measurement> contenders) {
    /** The contests of a run by their names, such as {@code ticker (load fork tree): ticks}. */
    static Map<String, Contest> of(Results run) {
        return run.measurements().stream()
                .filter(measurement -> !measurement.dispatcher().equals(Peers.BOUND))
                .filter(measurement -> !measurement.dispatcher().startsWith(Peers.OURS + "-"))
                .filter(measurement -> !Double.isNaN(measurement.value()))
                .collect(Collectors.groupingBy(
                        measurement -> Labels.of(measurement) + ": " + measurement.metric(),
                        LinkedHashMap::new,
                        Collectors.collectingAndThen(Collectors.toList(), Contest::new)));
    }

    Measurement winner() {
        return contenders.stream()
                .reduce((one, other) -> other.better().isBetter(other.value(), one.value()) ? other : one)
                .orElseThrow();
    }

    /** Whether a dispatcher took part and was behind the winner by more than the margin, and in all rounds. */
    boolean trails(String dispatcher, double margin) {
        Measurement winner = winner();
        return contenders.stream()
                .filter(contender -> contender.dispatcher().equals(dispatcher))
                .anyMatch(contender -> lead(winner, contender) > margin && isBetterInAllRounds(winner, contender));
    }

    /** Whether the worst round of one is better than the best of the other. */
    private static boolean isBetterInAllRounds(Measurement one, Measurement other) {
        return one.samples().stream()
                .filter(sample -> !sample.isNaN())
                .allMatch(sample -> other.samples().stream()
                        .filter(rival -> !rival.isNaN())
                        .allMatch(rival -> one.better().isBetter(sample, rival)));
    }

    /** Whether the winner is ahead of somebody, so that there is something to agree on. */
    boolean isDecided(double margin) {
        return contenders.stream().anyMatch(contender -> trails(contender.dispatcher(), margin));
    }

    /** By which part one is better than the other: 0.1 for 10 %. */
    private static double lead(Measurement one, Measurement other) {
        return switch (one.better()) {
            case LOWER -> other.value() / one.value() - 1;
            case HIGHER -> one.value() / other.value() - 1;
        };
    }
}
