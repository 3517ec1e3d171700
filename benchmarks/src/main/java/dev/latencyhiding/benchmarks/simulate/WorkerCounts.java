package dev.latencyhiding.benchmarks.simulate;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Numbers of workers as one writes them: {@code 8}, {@code 1..1024} (the powers of two in it), {@code 1..8,24}. */
final class WorkerCounts {
    /** More would take minutes and show nothing new. */
    private static final int MAX = 1 << 16;

    private WorkerCounts() {}

    /**
     * Reads a list of numbers and ranges.
     *
     * @throws IllegalArgumentException naming the part that is wrong
     */
    static List<Integer> parse(String text) {
        final TreeSet<Integer> counts = new TreeSet<>();
        for (String part : text.split(",", -1)) {
            final int dots = part.indexOf("..");
            if (dots < 0) {
                counts.add(count(part, part));
            } else {
                counts.addAll(powersOfTwo(count(part.substring(0, dots), part), count(part.substring(dots + 2), part)));
            }
        }
        if (counts.isEmpty()) {
            throw new IllegalArgumentException("no power of two in " + text);
        }
        return List.copyOf(counts);
    }

    private static List<Integer> powersOfTwo(int from, int to) {
        final List<Integer> powers = new ArrayList<>();
        for (int power = 1; power <= to; power *= 2) {
            if (power >= from) {
                powers.add(power);
            }
        }
        return powers;
    }

    private static int count(String number, String part) {
        try {
            final int count = Integer.parseInt(number.strip());
            if (count >= 1 && count <= MAX) {
                return count;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("not a number of workers or a range of them: '" + part + "'", e);
        }
        throw new IllegalArgumentException("workers must be from 1 to " + MAX + ": '" + part + "'");
    }
}
