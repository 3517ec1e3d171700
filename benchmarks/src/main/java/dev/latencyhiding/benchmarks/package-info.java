/** Measurements of the latency-hiding scheduler beside the schedulers a user would pick instead. */
@NullMarked
package dev.latencyhiding.benchmarks;

import org.jspecify.annotations.NullMarked;
