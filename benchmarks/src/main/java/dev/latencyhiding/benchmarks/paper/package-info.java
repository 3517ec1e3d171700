/**
 * The tables of the literature, measured again on this machine, beside the published figures. Machines differ, so
 * everything is a ratio.
 */
@NullMarked
package dev.latencyhiding.benchmarks.paper;

import org.jspecify.annotations.NullMarked;
