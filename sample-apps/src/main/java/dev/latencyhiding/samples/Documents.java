package dev.latencyhiding.samples;

import java.net.URI;
import java.net.http.HttpRequest;
import java.util.SplittableRandom;

/**
 * What the demonstration fetches and computes: each document is a series of measured values, and the result is
 * the sum of the periods with which they repeat best.
 */
final class Documents {
    /** Values in a document: enough for some milliseconds of computing. */
    private static final int VALUES = 3_000;

    private static final int SHORTEST_PERIOD = 10;
    private static final int LONGEST_PERIOD = VALUES / 2;

    /** The computing for a document can be done in so many pieces, in any order. */
    static final int PIECES = 4;

    private Documents() {}

    static HttpRequest request(URI server, int document) {
        return HttpRequest.newBuilder(server.resolve("/" + document)).build();
    }

    /** On the server: a sine with noise, whose period depends on the path. */
    static String write(String path) {
        final SplittableRandom random = new SplittableRandom(path.hashCode());
        final int period = random.nextInt(20, LONGEST_PERIOD);
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < VALUES; i++) {
            final double value = 1_000 * Math.sin(2 * Math.PI * i / period) + random.nextInt(-100, 100);
            text.append((int) value).append('\n');
        }
        return text.toString();
    }

    /** On the client: the values of a document. */
    static int[] parse(String text) {
        return text.lines().mapToInt(Integer::parseInt).toArray();
    }

    /** A period, and how well the values repeat with it. */
    record Match(long likeness, int period) {
        /** Of two that are alike, the shorter one. */
        Match orBetter(Match other) {
            final boolean isShorter = other.likeness == likeness && other.period < period;
            return other.likeness > likeness || isShorter ? other : this;
        }
    }

    /** Compares the values with themselves, at every distance of one of the {@link #PIECES}. */
    static Match bestMatch(int[] values, int piece) {
        Match best = new Match(Long.MIN_VALUE, 0);
        for (int distance = SHORTEST_PERIOD + piece; distance <= LONGEST_PERIOD; distance += PIECES) {
            long likeness = 0;
            for (int i = 0; i + distance < values.length; i++) {
                likeness += (long) values[i] * values[i + distance];
            }
            best = best.orBetter(new Match(likeness / (values.length - distance), distance));
        }
        return best;
    }

    /** All pieces, one after the other. */
    static int bestPeriod(String text) {
        final int[] values = parse(text);
        Match best = bestMatch(values, 0);
        for (int piece = 1; piece < PIECES; piece++) {
            best = best.orBetter(bestMatch(values, piece));
        }
        return best.period;
    }
}
