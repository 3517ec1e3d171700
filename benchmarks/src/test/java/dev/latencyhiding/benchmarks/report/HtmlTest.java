package dev.latencyhiding.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

final class HtmlTest {
    private final Html out = new Html();

    @Test
    void text_withMarkup_isEscaped() {
        out.element("p", "a < b & \"c\" > d", "title", "\"<&>");

        assertEquals("<p title=\"&quot;&lt;&amp;&gt;\">a &lt; b &amp; &quot;c&quot; &gt; d</p>\n", out.toString());
    }

    @Test
    void close_nested_closesTheInnermost() {
        out.open("ul").open("li").text("x").close().close();

        assertEquals("<ul><li>x</li>\n</ul>\n", out.toString());
    }

    @Test
    void toString_elementLeftOpen_fails() {
        out.open("p");

        assertThrows(IllegalStateException.class, out::toString);
    }

    @Test
    void open_attributeWithoutValue_fails() {
        assertThrows(IllegalArgumentException.class, () -> out.open("p", "class"));
    }
}
