/** Runs the workloads on all dispatchers: a JVM for each, in turns, so that noise hits all alike. */
@NullMarked
package dev.latencyhiding.benchmarks.compare;

import org.jspecify.annotations.NullMarked;
