package dev.latencyhiding.samples;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a program: {@code --name value}, and {@code --help}. What is wrong with them is an {@link
 * IllegalArgumentException} that says so.
 */
public final class Arguments {
    private final String help;
    private final boolean wantsHelp;
    private final Map<String, String> values = new LinkedHashMap<>();

    /**
     * Reads them.
     *
     * @param help what {@code --help} prints
     * @param args as main gets them
     */
    public Arguments(String help, String... args) {
        this.help = help;
        boolean wanted = false;
        for (int i = 0; i < args.length; i++) {
            if (args[i].equals("--help")) {
                wanted = true;
            } else if (!args[i].startsWith("--")) {
                throw new IllegalArgumentException("not an option: " + args[i] + "; see --help");
            } else if (i + 1 == args.length) {
                throw new IllegalArgumentException("no value for " + args[i] + "; see --help");
            } else {
                values.put(args[i], args[++i]);
            }
        }
        wantsHelp = wanted;
    }

    /**
     * Prints the help if it was asked for.
     *
     * @param out where to
     * @return true if the program need not do anything else
     */
    public boolean help(PrintStream out) {
        if (wantsHelp) {
            out.println(help);
        }
        return wantsHelp;
    }

    /**
     * A text.
     *
     * @param name of the option
     * @param otherwise the value if it is not given
     * @return the value
     */
    public String text(String name, String otherwise) {
        final @Nullable String value = values.remove(name);
        return value == null ? otherwise : value;
    }

    /**
     * A whole number.
     *
     * @param name of the option
     * @param otherwise the value if it is not given
     * @param least that is valid
     * @param most that is valid
     * @return the value
     */
    public int number(String name, int otherwise, int least, int most) {
        final @Nullable String value = values.remove(name);
        if (value == null) {
            return otherwise;
        }
        try {
            final int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // as if it were out of range
        }
        throw new IllegalArgumentException(name + " must be a number from " + least + " to " + most + ": " + value);
    }

    /** After all options were asked for: refuses those the program does not have. */
    public void requireNoOthers() {
        if (!values.isEmpty()) {
            throw new IllegalArgumentException(
                    "no such option: " + String.join(", ", values.keySet()) + "; see --help");
        }
    }
}
