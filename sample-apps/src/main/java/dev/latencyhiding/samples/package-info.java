/** Runnable programs that show the latency-hiding scheduler. */
@NullMarked
package dev.latencyhiding.samples;

import org.jspecify.annotations.NullMarked;
