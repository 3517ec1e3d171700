package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.spi.ToolProvider;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * On its way from spawn to start nobody asks whether a node is a {@code Runnable}: {@link WorkDeque} says why. Neither
 * by a cast nor by a VarHandle or an array of that type, which check what is stored.
 */
class NodeCastTest {
    private static final List<String> CHECKS =
            List.of("checkcast .*java/lang/Runnable$", "VarHandle\\..*Runnable", "anewarray .*java/lang/Runnable$");

    @ParameterizedTest
    @ValueSource(
            classes = {
                WorkDeque.class,
                ProwsDeque.class,
                Suspension.class,
                Lanes.class,
                Turns.class,
                Thief.class,
                ProwsWorker.class,
                Worker.class
            })
    void wayOfNode_hasNoCastToRunnable(Class<?> type) throws URISyntaxException {
        final String code = disassemble(type);
        assertFalse(code.isBlank());
        final List<String> found = code.lines()
                .filter(line -> CHECKS.stream().anyMatch(check -> line.strip().matches(".*" + check + ".*")))
                .toList();
        assertEquals(List.of(), found);
    }

    private static String disassemble(Class<?> type) throws URISyntaxException {
        final StringWriter out = new StringWriter();
        final ToolProvider javap = ToolProvider.findFirst("javap").orElseThrow();
        final Path file =
                Path.of(type.getResource(type.getSimpleName() + ".class").toURI());
        final int status = javap.run(new PrintWriter(out), new PrintWriter(out), "-c", "-p", file.toString());
        assertEquals(0, status, out::toString);
        return out.toString();
    }
}
