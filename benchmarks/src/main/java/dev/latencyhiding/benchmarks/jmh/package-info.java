/**
 * Runs the JMH micro-benchmarks. Those of package-private classes are in the package of those classes, which is split
 * over two jars on the class path; those of the public API are here.
 */
@NullMarked
package dev.latencyhiding.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
