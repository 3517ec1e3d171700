package dev.latencyhiding.benchmarks.report;

import java.util.ArrayDeque;
import java.util.Deque;

/** Writes HTML and SVG with every text escaped and every element closed. */
final class Html {
    private final StringBuilder out = new StringBuilder();
    private final Deque<String> open = new ArrayDeque<>();

    /** Opens an element; attributes are names and values in turn. */
    Html open(String tag, String... attributes) {
        start(tag, attributes);
        out.append('>');
        open.push(tag);
        return this;
    }

    /** Closes the element opened last. */
    Html close() {
        out.append("</").append(open.pop()).append(">\n");
        return this;
    }

    Html text(String text) {
        escape(text);
        return this;
    }

    /** An element with nothing but text in it. */
    Html element(String tag, String text, String... attributes) {
        return open(tag, attributes).text(text).close();
    }

    /** An element without content, such as {@code meta} or {@code line}. */
    Html empty(String tag, String... attributes) {
        start(tag, attributes);
        out.append("/>\n");
        return this;
    }

    /** Text that is HTML or CSS already. Never for what comes from outside. */
    Html raw(String trusted) {
        out.append(trusted);
        return this;
    }

    @Override
    public String toString() {
        if (!open.isEmpty()) {
            throw new IllegalStateException("not closed: " + open);
        }
        return out.toString();
    }

    private void start(String tag, String... attributes) {
        if (attributes.length % 2 != 0) {
            throw new IllegalArgumentException("attribute without a value in <" + tag + ">");
        }
        out.append('<').append(tag);
        for (int i = 0; i < attributes.length; i += 2) {
            out.append(' ').append(attributes[i]).append("=\"");
            escape(attributes[i + 1]);
            out.append('"');
        }
    }

    private void escape(String text) {
        for (int i = 0; i < text.length(); i++) {
            final char c = text.charAt(i);
            switch (c) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '"' -> out.append("&quot;");
                default -> out.append(c);
            }
        }
    }
}
