package dev.latencyhiding.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;

/**
 * How much of the processors' time went to others while this machine wanted it, because it is virtual and shares
 * its host. Only Linux tells. Late ticks and long tails come from there first.
 */
final class StolenTime {
    private static final Path STAT = Path.of("/proc/stat");

    // the columns of its first line, after "cpu"
    private static final int USER = 1;
    private static final int NICE = 2;
    private static final int SYSTEM = 3;
    private static final int IRQ = 6;
    private static final int SOFT_IRQ = 7;
    private static final int STOLEN = 8;

    private final String before = read();

    /** Of the time that was wanted since this object was made; empty where nobody knows. */
    OptionalDouble share() {
        return share(before, read());
    }

    static OptionalDouble share(String before, String after) {
        final long[] begun = columns(before);
        final long[] ended = columns(after);
        if (begun.length <= STOLEN || ended.length <= STOLEN) {
            return OptionalDouble.empty();
        }
        final double stolen = ended[STOLEN] - begun[STOLEN];
        double wanted = stolen;
        for (int column : new int[] {USER, NICE, SYSTEM, IRQ, SOFT_IRQ}) {
            wanted += ended[column] - begun[column];
        }
        return OptionalDouble.of(wanted == 0 ? 0 : stolen / wanted);
    }

    private static long[] columns(String line) {
        if (!line.startsWith("cpu ")) {
            return new long[0];
        }
        final String[] words = line.split(" +", -1);
        final long[] columns = new long[words.length];
        for (int i = 1; i < words.length; i++) {
            columns[i] = Long.parseLong(words[i]);
        }
        return columns;
    }

    private static String read() {
        try (var lines = Files.lines(STAT)) {
            return lines.findFirst().orElse("");
        } catch (IOException notLinux) {
            return "";
        }
    }
}
