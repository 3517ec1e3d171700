/**
 * The HTML report: one self-contained page made of a run's {@link dev.latencyhiding.benchmarks.Results}, with nothing
 * fetched from elsewhere, no script, and colours that follow the reader's light or dark mode.
 */
@NullMarked
package dev.latencyhiding.benchmarks.report;

import org.jspecify.annotations.NullMarked;
