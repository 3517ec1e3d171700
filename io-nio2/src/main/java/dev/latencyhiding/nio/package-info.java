/** Suspending NIO.2 channels and files whose completions resume on the latency-hiding scheduler. */
@NullMarked
package dev.latencyhiding.nio;

import org.jspecify.annotations.NullMarked;
