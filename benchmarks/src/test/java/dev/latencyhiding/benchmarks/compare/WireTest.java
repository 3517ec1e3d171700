package dev.latencyhiding.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.latencyhiding.benchmarks.workloads.Scale;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WireTest {
    @ParameterizedTest
    @ValueSource(strings = {"", "plain", "tab\there", "two\nlines\r\n", "back\\slash", "\\t is no tab", "δ ≤ 1", "\\"})
    void decode_whatWasEncoded_isTheSame(String field) {
        String line = Wire.encode("FAILED", field, "end");

        assertEquals(List.of("FAILED", field, "end"), Wire.decode(line));
        assertFalse(line.contains("\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "OpenJDK 64-Bit Server VM warning: …", "DONE", "@benchmarksDONE"})
    void decode_otherLines_areNone(String line) {
        assertNull(Wire.decode(line));
    }

    @Test
    void childSpec_passesThroughArguments() {
        ChildSpec spec = new ChildSpec(Scale.TINY, "X", "a.B", 3, Duration.ofSeconds(5), Path.of("f.html"));

        assertEquals(spec, ChildSpec.ofArguments(spec.toArguments().toArray(String[]::new)));
    }
}
