package dev.latencyhiding.benchmarks.compare;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lines that parent and child exchange. A line starts with a mark, since the JVM itself may print to the same
 * stream; fields are separated by tabs.
 *
 * <pre>
 * parent → child    WARM workload case millis     DONE or FAILED
 *                   SETTLE workload case step most DONE or FAILED
 *                   RUN workload case             any number of SAMPLE, then DONE or FAILED
 *                   PROFILE workload case millis  any number of PART and METHOD, then DONE or FAILED
 * child → parent    READY
 *                   SAMPLE metric unit better value
 *                   PART part millis
 *                   METHOD name millis
 *                   DONE
 *                   FAILED text
 * </pre>
 *
 * The child ends when its input does, so it does not outlive its parent.
 */
final class Wire {
    static final String WARM = "WARM";
    static final String SETTLE = "SETTLE";
    static final String RUN = "RUN";
    static final String PROFILE = "PROFILE";
    static final String READY = "READY";
    static final String SAMPLE = "SAMPLE";
    static final String PART = "PART";
    static final String METHOD = "METHOD";
    static final String DONE = "DONE";
    static final String FAILED = "FAILED";

    private static final String MARK = "@benchmarks";

    private Wire() {}

    static String encode(String... fields) {
        StringBuilder line = new StringBuilder(MARK);
        for (String field : fields) {
            line.append('\t');
            for (int i = 0; i < field.length(); i++) {
                char c = field.charAt(i);
                switch (c) {
                    case '\\' -> line.append("\\\\");
                    case '\t' -> line.append("\\t");
                    case '\n' -> line.append("\\n");
                    case '\r' -> line.append("\\r");
                    default -> line.append(c);
                }
            }
        }
        return line.toString();
    }

    /** The fields of a line, or null if the line is none of ours. */
    static @Nullable List<String> decode(String line) {
        if (!line.startsWith(MARK + '\t')) {
            return null;
        }
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        for (int i = MARK.length() + 1; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '\t') {
                fields.add(field.toString());
                field.setLength(0);
            } else if (c == '\\' && i + 1 < line.length()) {
                i++;
                field.append(unescaped(line.charAt(i)));
            } else {
                field.append(c);
            }
        }
        fields.add(field.toString());
        return fields;
    }

    private static char unescaped(char c) {
        return switch (c) {
            case 't' -> '\t';
            case 'n' -> '\n';
            case 'r' -> '\r';
            default -> c;
        };
    }
}
