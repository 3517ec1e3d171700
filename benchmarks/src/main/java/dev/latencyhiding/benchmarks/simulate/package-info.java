/**
 * A deterministic discrete-event simulator of the three schedulers of the literature on weighted dags.
 *
 * <p>Reading order: {@link dev.latencyhiding.benchmarks.simulate.Dag} (the computation),
 * {@link dev.latencyhiding.benchmarks.simulate.Simulation} (time, workers, thieves), then one class per
 * algorithm. {@link dev.latencyhiding.benchmarks.simulate.Schedule} checks every run.
 */
@NullMarked
package dev.latencyhiding.benchmarks.simulate;

import org.jspecify.annotations.NullMarked;
