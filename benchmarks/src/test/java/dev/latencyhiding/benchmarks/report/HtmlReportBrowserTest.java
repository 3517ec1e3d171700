package dev.latencyhiding.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a real browser shows the page. The screenshots are left in {@code target/report}. */
final class HtmlReportBrowserTest {
    private static final int WIDTH = 1280;

    @TempDir
    private static Path directory;

    private static Path page;
    private static Chromium chromium;

    @BeforeAll
    static void startBrowser() throws Exception {
        Optional<Path> executable = Chromium.find();
        assumeTrue(
                executable.isPresent(),
                "No Chromium on the path and none named by CHROMIUM: the report is not looked at. "
                        + ".ci/install-browser installs it on Debian.");
        page = directory.resolve("report.html");
        HtmlReport.write(SampleResults.all(), page);
        chromium = Chromium.start(executable.get(), directory.resolve("profile"));
    }

    @AfterAll
    static void stopBrowser() {
        if (chromium != null) {
            chromium.close();
        }
    }

    @Test
    void page_light_isDrawnDarkOnLight() throws Exception {
        BufferedImage image = show("light", WIDTH);

        assertTrue(brightness(ground(image)) > 0.9f, () -> "ground " + ground(image));
        assertIsDrawn(image);
    }

    @Test
    void page_dark_isDrawnLightOnDark() throws Exception {
        BufferedImage image = show("dark", WIDTH);

        assertTrue(brightness(ground(image)) < 0.2f, () -> "ground " + ground(image));
        assertIsDrawn(image);
    }

    @Test
    void page_onATelephone_doesNotScrollSideways() throws Exception {
        show("light", 390);

        assertTrue(chromium.evaluate("document.documentElement.scrollWidth").asInt() <= 390);
    }

    @Test
    void page_loaded_asksForNothingAndComplainsOfNothing() throws Exception {
        show("light", WIDTH);

        assertEquals(
                List.of(page.toUri().toString()),
                chromium.requests().stream()
                        .filter(url -> !url.startsWith("data:"))
                        .toList());
        assertEquals(List.of(), chromium.complaints());
    }

    @Test
    void text_everywhere_standsOutFromItsGround() throws Exception {
        for (String scheme : List.of("light", "dark")) {
            show(scheme, WIDTH);
            String styles = Files.readString(Path.of(
                    HtmlReportBrowserTest.class.getResource("contrast.js").toURI()));

            // The contrast that WCAG 2 asks of text, level AA.
            assertEquals("[]", chromium.evaluate(styles).toString(), scheme);
        }
    }

    private static BufferedImage show(String scheme, int width) throws Exception {
        chromium.open(page.toUri(), scheme, width);
        byte[] png = chromium.screenshot();
        Path file = Path.of("target", "report", scheme + "-" + width + ".png");
        Files.createDirectories(file.getParent());
        Files.write(file, png);
        return ImageIO.read(new ByteArrayInputStream(png));
    }

    /** Much is drawn, in many colours, and the bars of our own dispatcher among it. */
    private static void assertIsDrawn(BufferedImage image) {
        Map<Integer, Integer> colours = colours(image);
        int pixels = image.getWidth() * image.getHeight();
        assertTrue(image.getHeight() > 1000, () -> "height " + image.getHeight());
        assertTrue(colours.size() > 100, () -> colours.size() + " colours");
        assertTrue(colours.get(ground(image)) < 0.9 * pixels, "the page is blank");
        int accented = colours.entrySet().stream()
                .filter(entry -> isBlue(entry.getKey()))
                .mapToInt(Map.Entry::getValue)
                .sum();
        assertTrue(accented > 2000, () -> accented + " blue pixels");
    }

    private static boolean isBlue(int rgb) {
        Color colour = new Color(rgb);
        return colour.getBlue() > 150 && colour.getBlue() > colour.getRed() + 60;
    }

    /** The colour of the left margin. */
    private static int ground(BufferedImage image) {
        return image.getRGB(2, image.getHeight() / 2);
    }

    private static float brightness(int rgb) {
        Color colour = new Color(rgb);
        return Color.RGBtoHSB(colour.getRed(), colour.getGreen(), colour.getBlue(), null)[2];
    }

    private static Map<Integer, Integer> colours(BufferedImage image) {
        Map<Integer, Integer> counts = new HashMap<>();
        for (int x = 0; x < image.getWidth(); x++) {
            for (int y = 0; y < image.getHeight(); y++) {
                counts.merge(image.getRGB(x, y), 1, Integer::sum);
            }
        }
        return counts;
    }
}
