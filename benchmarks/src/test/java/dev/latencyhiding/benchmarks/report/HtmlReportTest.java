package dev.latencyhiding.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latencyhiding.benchmarks.Profile.Part;
import dev.latencyhiding.benchmarks.Results;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** What the page contains; how it looks, in {@link HtmlReportBrowserTest}. */
final class HtmlReportTest {
    private final String page = HtmlReport.of(SampleResults.all());

    @Test
    void page_isWellFormed_withOneChartPerFigure() throws Exception {
        Document document = parse(page);

        List<Element> charts = elements(document, "svg").stream()
                .filter(svg -> svg.getAttribute("role").equals("img"))
                .toList();
        assertEquals(5, charts.size());
        for (Element chart : charts) {
            assertFalse(
                    chart.getElementsByTagName("title").item(0).getTextContent().isBlank());
        }
        assertEquals(8, elements(document, "table").size());
        assertEquals(8, elements(document, "caption").size());
    }

    @Test
    void page_asksForNothingFromOutside() throws Exception {
        Document document = parse(page);

        assertTrue(elements(document, "script").isEmpty());
        assertTrue(elements(document, "img").isEmpty());
        for (Element link : elements(document, "link")) {
            assertEquals("data:,", link.getAttribute("href"));
        }
        assertFalse(page.contains("@import"));
        assertFalse(page.contains("url("));
    }

    @Test
    void page_names_areEscaped() {
        assertTrue(page.contains("&lt;VT&gt; &amp; &quot;more&quot;"));
        assertTrue(page.contains("&lt;within&gt;"));
    }

    @Test
    void page_bars_showEveryVerdictWithTheDistance() {
        for (String verdict : List.of("met", "level, 2.0 % off", "missed by 20.0 %", "not measured")) {
            assertTrue(page.contains(">" + verdict + "</span>"), verdict);
        }
    }

    @Test
    void page_profiles_showEveryPartThatTookTime() throws Exception {
        Document document = parse(page);

        for (Part part : Part.values()) {
            assertTrue(page.contains(">" + part.label() + "<"), part.label());
        }
        long parts = elements(document, "rect").stream()
                .filter(rect -> rect.getElementsByTagName("title").getLength() > 0)
                .count();
        assertEquals(2L * Part.values().length, parts);
        assertTrue(page.contains("Job$&lt;init&gt;.run"));
    }

    @Test
    void page_linksWithinItself_leadSomewhere() throws Exception {
        Document document = parse(page);

        List<Element> links = elements(document, "a");
        assertEquals(6, links.size());
        for (Element link : links) {
            assertTrue(
                    page.contains("id=\"" + link.getAttribute("href").substring(1) + "\""), link.getAttribute("href"));
        }
    }

    @Test
    void page_ofNothing_isStillAPage() throws Exception {
        Results sample = SampleResults.all();

        parse(HtmlReport.of(new Results(sample.environment(), List.of(), List.of(), List.of())));
    }

    private static Document parse(String page) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(page)));
    }

    private static List<Element> elements(Document document, String tag) {
        NodeList nodes = document.getElementsByTagName(tag);
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            elements.add((Element) nodes.item(i));
        }
        return elements;
    }
}
