/** The latency-hiding scheduler as a Kotlin coroutine dispatcher. */
@NullMarked
package dev.latencyhiding.coroutines;

import org.jspecify.annotations.NullMarked;
