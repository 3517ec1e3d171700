package dev.latencyhiding.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The demonstration runs, both ways compute the same, and hiding the latency is not slower than paying it. */
final class DemoTest {
    @Test
    void run_bothWays_sameResultAndFaster() throws IOException, InterruptedException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Demo.run(new PrintStream(bytes, true, StandardCharsets.UTF_8), 40, 50);

        final List<String> lines =
                bytes.toString(StandardCharsets.UTF_8).lines().toList();
        assertEquals(resultOf(lines.get(1)), resultOf(lines.get(2)), () -> String.join("\n", lines));
        final double times = Double.parseDouble(lines.get(3).replace(" times as fast", ""));
        assertTrue(times > 1, () -> String.join("\n", lines));
    }

    private static String resultOf(String line) {
        return line.substring(line.indexOf("result"));
    }
}
