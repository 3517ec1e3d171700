package dev.latencyhiding.benchmarks.report;

import java.util.SortedMap;

/**
 * A line of a chart.
 *
 * @param name what it shows
 * @param colour which of the page's colours and markers it has
 * @param points its values, by place on the horizontal axis
 */
record Series(String name, int colour, SortedMap<Double, Double> points) {}
