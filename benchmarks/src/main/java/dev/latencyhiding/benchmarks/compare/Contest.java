package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.Better;
import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.Results;
import dev.latencyhiding.benchmarks.peers.Peers;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.commons.math3.distribution.TDistribution;

/**
 * Who is how good in one metric of one case of one run, and how much of that is more than chance. The bound and the
 * other policies of our scheduler do not compete.
 *
 * <p>A dispatcher's values differ from JVM to JVM by more than from round to round in one of them, so each JVM counts
 * once; and what the machine does while the first JVMs run, it does to all dispatchers. So the logarithm of a value is
 * taken as the sum of three: what the dispatcher, what the turn of the JVMs, and what chance contributes. Two or three
 * JVMs of one dispatcher say little about chance, those of all dispatchers together enough (an analysis of variance
 * with two factors); but two that scatter more than the others are believed to, and one JVM alone may have been a bad
 * one. A lead is as large as it is at least, with a confidence of 95 % for all pairs of a contest together.
 *
 * @param contenders the measurements
 * @param roundsInJvm how many of the samples of each are of the same JVM
 */
record Contest(List<Measurement> contenders, int roundsInJvm) {
    /** What differs by less is taken as equal. */
    static final double MARGIN = 0.1;

    /** The part of contests in which chance may make somebody trail. */
    private static final double ERROR = 0.05;

    /**
     * Two JVMs with the same program on the same dispatcher were seen to differ by a factor of 2.8. Who is behind by more
     * than this may scatter as it likes: it says nothing about those in front.
     */
    private static final double IN_REACH = 3;

    /** A value that is worse by more than this factor, such as none of the ticks, is as bad as that. */
    private static final double LARGEST_FACTOR = 1000;

    /** The contests of a run by their names. */
    static Map<String, Contest> of(Results run) {
        return of(run.measurements(), Math.max(1, run.environment().roundsInJvm())); // 0 in older files
    }

    static Map<String, Contest> of(List<Measurement> measurements, int roundsInJvm) {
        return measurements.stream()
                .filter(measurement -> !measurement.dispatcher().equals(Peers.BOUND))
                .filter(measurement -> !measurement.dispatcher().startsWith(Peers.OURS + "-"))
                .filter(measurement -> !Double.isNaN(measurement.value()))
                .collect(Collectors.groupingBy(
                        Contest::name,
                        LinkedHashMap::new,
                        Collectors.collectingAndThen(
                                Collectors.toList(), contenders -> new Contest(contenders, roundsInJvm))));
    }

    /** What is contested, such as {@code ticker (load fork tree): ticks}. */
    static String name(Measurement measurement) {
        return Labels.of(measurement) + ": " + measurement.metric();
    }

    Measurement winner() {
        return contenders.stream()
                .reduce((one, other) -> other.better().isBetter(other.value(), one.value()) ? other : one)
                .orElseThrow();
    }

    /** Whether a dispatcher took part and was certainly behind the winner by more than the margin. */
    boolean trails(String dispatcher, double margin) {
        return contenders.stream()
                .filter(contender -> contender.dispatcher().equals(dispatcher))
                .anyMatch(contender -> certainLead(winner(), contender) > Math.log1p(margin));
    }

    /** The winner, and those that this run cannot tell from it. */
    List<String> level(double margin) {
        return contenders.stream()
                .map(Measurement::dispatcher)
                .filter(dispatcher -> !trails(dispatcher, margin))
                .toList();
    }

    /** Whether the winner is ahead of somebody, so that there is something to agree on. */
    boolean isDecided(double margin) {
        return level(margin).size() < contenders.size();
    }

    /** How far one is at least ahead of the other, as the logarithm of a factor; NaN if nobody can know. */
    private double certainLead(Measurement one, Measurement other) {
        double[] leads = differences(logarithms(other), logarithms(one));
        double[][] table = table();
        if (leads.length == 0 || table.length < 2 || table[0].length < 2) {
            return Double.NaN;
        }
        double freedom = (table.length - 1.0) * (table[0].length - 1.0);
        double quantile = new TDistribution(freedom).inverseCumulativeProbability(1 - ERROR / (contenders.size() - 1));
        double deviation = Math.max(Math.sqrt(residualSquares(table) / freedom), deviation(leads) / Math.sqrt(2));
        double chance = quantile * deviation * Math.sqrt(2.0 / leads.length);
        return mean(leads) - (leads.length > 1 ? chance : Math.max(chance, Math.log(IN_REACH)));
    }

    /** A row for each dispatcher that chance is estimated from: those in reach that all JVMs have a value of. */
    private double[][] table() {
        double[][] complete =
                complete(contenders.stream().filter(this::isInReach).toList());
        return complete.length > 1 ? complete : complete(contenders);
    }

    private double[][] complete(List<Measurement> measurements) {
        return measurements.stream()
                .map(this::logarithms)
                .filter(row -> Arrays.stream(row).noneMatch(Double::isNaN))
                .toArray(double[][]::new);
    }

    private boolean isInReach(Measurement contender) {
        double value = contender.value();
        double best = winner().value();
        return contender.better() == Better.LOWER ? value <= IN_REACH * best : IN_REACH * value >= best;
    }

    /**
     * One value for each JVM that the winner has one of, or if these are not two, for each round: the logarithm, and less
     * is better. NaN where there is none.
     */
    private double[] logarithms(Measurement contender) {
        Measurement winner = winner();
        double[] ofWinner = medians(winner, roundsInJvm);
        if (Arrays.stream(ofWinner).filter(value -> !Double.isNaN(value)).count() < 2) {
            return logarithms(medians(contender, 1), medians(winner, 1));
        }
        return logarithms(medians(contender, roundsInJvm), ofWinner);
    }

    private double[] logarithms(double[] values, double[] ofWinner) {
        double worst = winner().value() / LARGEST_FACTOR;
        int sign = winner().better() == Better.LOWER ? 1 : -1;
        return IntStream.range(0, Math.min(values.length, ofWinner.length))
                .filter(i -> !Double.isNaN(ofWinner[i]))
                .mapToDouble(i -> sign * Math.log(Math.max(values[i], worst)))
                .toArray();
    }

    /** Of so many samples in a row each. */
    private static double[] medians(Measurement contender, int inRow) {
        List<Double> samples = contender.samples();
        return IntStream.range(0, samples.size() / inRow)
                .mapToDouble(row -> Statistics.median(samples.subList(row * inRow, (row + 1) * inRow).stream()
                        .mapToDouble(Double::doubleValue)
                        .toArray()))
                .toArray();
    }

    /** Of what both have. */
    private static double[] differences(double[] ones, double[] others) {
        return IntStream.range(0, Math.min(ones.length, others.length))
                .mapToDouble(i -> ones[i] - others[i])
                .filter(difference -> !Double.isNaN(difference))
                .toArray();
    }

    /** The squares of what neither the row nor the column explains. */
    private static double residualSquares(double[][] table) {
        double[] ofRows = Arrays.stream(table).mapToDouble(Contest::mean).toArray();
        double[] ofColumns = IntStream.range(0, table[0].length)
                .mapToDouble(column -> mean(
                        Arrays.stream(table).mapToDouble(row -> row[column]).toArray()))
                .toArray();
        double ofAll = mean(ofRows);
        double squares = 0;
        for (int row = 0; row < table.length; row++) {
            for (int column = 0; column < ofColumns.length; column++) {
                double residual = table[row][column] - ofRows[row] - ofColumns[column] + ofAll;
                squares += residual * residual;
            }
        }
        return squares;
    }

    /** The standard deviation of a sample; 0 if there is only one. */
    private static double deviation(double[] values) {
        double mean = mean(values);
        double squares = Arrays.stream(values)
                .map(value -> (value - mean) * (value - mean))
                .sum();
        return Math.sqrt(squares / Math.max(1, values.length - 1));
    }

    private static double mean(double[] values) {
        return Arrays.stream(values).average().orElse(Double.NaN);
    }
}
