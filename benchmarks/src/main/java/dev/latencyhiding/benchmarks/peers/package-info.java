/** What a program can run its coroutines on. */
@NullMarked
package dev.latencyhiding.benchmarks.peers;

import org.jspecify.annotations.NullMarked;
