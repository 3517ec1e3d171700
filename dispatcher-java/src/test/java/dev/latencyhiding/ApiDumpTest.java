package dev.latencyhiding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The public interface is what the file in {@code api} says: who changes it by accident learns it here,
 * and who changes it on purpose shows it in the diff.
 */
class ApiDumpTest {
    private static final Path FILE = Path.of("api", "latency-hiding-dispatcher.api");
    private static final String UPDATE = "mvn test -pl dispatcher-java -Dtest=ApiDumpTest -Dapi.update=true";

    @Test
    void publicInterface_isTheOneOnFile() throws Exception {
        final String dump = dump();
        if (Boolean.getBoolean("api.update")) {
            Files.createDirectories(FILE.getParent());
            Files.writeString(FILE, dump);
        }
        final String onFile = Files.exists(FILE) ? Files.readString(FILE) : "(no file " + FILE + ")";
        assertEquals(onFile, dump, () -> "if the change is intended: " + UPDATE);
    }

    @Test
    void dump_hasWhatIsPublic_andNothingElse() throws Exception {
        final String dump = dump();
        assertTrue(dump.contains("dev.latencyhiding.Suspension.open()"), dump);
        assertFalse(dump.contains("SchedulerCore"), dump);
    }

    private static String dump() throws Exception {
        final Path classes = Path.of(LatencyHidingScheduler.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        final List<String> lines = new ArrayList<>();
        for (String name : classNames(classes)) {
            final Class<?> type = Class.forName(name, false, ApiDumpTest.class.getClassLoader());
            if (isExposed(type)) {
                describe(type, lines);
            }
        }
        return String.join("\n", lines) + "\n";
    }

    private static List<String> classNames(Path classes) throws IOException {
        try (Stream<Path> files = Files.walk(classes)) {
            return files.map(file -> classes.relativize(file).toString())
                    .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
                    .map(file -> file.substring(0, file.length() - ".class".length())
                            .replace(java.io.File.separatorChar, '.'))
                    .sorted()
                    .toList();
        }
    }

    private static boolean isExposed(Class<?> type) {
        return isExposed(type.getModifiers())
                && (type.getEnclosingClass() == null || isExposed(type.getEnclosingClass()));
    }

    private static boolean isExposed(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static void describe(Class<?> type, List<String> lines) {
        final String ancestors = Stream.concat(
                        Stream.ofNullable(type.getGenericSuperclass()), Arrays.stream(type.getGenericInterfaces()))
                .map(java.lang.reflect.Type::getTypeName)
                .collect(Collectors.joining(", "));
        lines.add(type.toGenericString() + " : " + ancestors);
        Stream.of(type.getDeclaredFields(), type.getDeclaredConstructors(), type.getDeclaredMethods())
                .flatMap(Arrays::stream)
                .filter(member -> isExposed(((Member) member).getModifiers()) && !((Member) member).isSynthetic())
                .map(ApiDumpTest::describe)
                .sorted()
                .forEach(member -> lines.add("    " + member));
    }

    private static String describe(AccessibleObject member) {
        if (member instanceof Field field) {
            return field.toGenericString();
        }
        return member instanceof Method method ? method.toGenericString() : ((Constructor<?>) member).toGenericString();
    }
}
