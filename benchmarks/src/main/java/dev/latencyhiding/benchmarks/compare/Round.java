package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.workloads.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** One round of a case. A program that is over in no time is repeated, and the median of each metric taken. */
final class Round {
    private Round() {}

    /**
     * Runs the program, and again until the time is over.
     *
     * @param millis how long a round takes at least
     */
    static List<Sample> of(Callable<List<Sample>> program, long millis) throws Exception {
        List<List<Sample>> runs = new ArrayList<>();
        long begun = System.nanoTime();
        do {
            runs.add(program.call());
        } while (System.nanoTime() - begun < millis * 1_000_000);
        return medians(runs);
    }

    /** The runs have the same metrics, in the same order. */
    private static List<Sample> medians(List<List<Sample>> runs) {
        List<Sample> medians = new ArrayList<>();
        for (int metric = 0; metric < runs.get(0).size(); metric++) {
            int index = metric;
            Sample first = runs.get(0).get(index);
            double[] values =
                    runs.stream().mapToDouble(run -> run.get(index).value()).toArray();
            medians.add(new Sample(first.metric(), first.unit(), first.better(), Statistics.median(values)));
        }
        return medians;
    }
}
