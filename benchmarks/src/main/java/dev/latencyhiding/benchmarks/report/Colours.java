package dev.latencyhiding.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Which dispatcher has which colour: the same on the whole page, and ours the first. */
final class Colours {
    /** As many as the style sheet has. */
    private static final int COLOURS = 8;

    private final List<String> names;

    Colours(Iterable<String> dispatchers) {
        names = new ArrayList<>();
        dispatchers.forEach(name -> {
            if (!names.contains(name)) {
                names.add(name);
            }
        });
        // A stable sort: ours come first, all others stay in their order.
        names.sort((one, other) -> Boolean.compare(isOurs(other), isOurs(one)));
    }

    int of(String dispatcher) {
        return names.indexOf(dispatcher) % COLOURS;
    }

    /** The dispatchers, ours first. */
    List<String> names() {
        return names;
    }

    boolean isOurs(String dispatcher) {
        final String name = dispatcher.toUpperCase(Locale.ROOT);
        return name.equals("LATENCYHIDING") || name.startsWith("PROWS_R");
    }
}
