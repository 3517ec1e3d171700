package dev.latencyhiding.benchmarks.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The Maven and the Gradle build describe the same modules, dependencies and versions. Gradle itself is not run: its
 * scripts are parsed. Each test works on a copy of the build files, most after changing one of them.
 */
final class BuildsInStepTest {
    private static final String MODULE = "dispatcher-java";

    @TempDir
    private Path copy;

    @BeforeEach
    void copyBuildFiles() throws IOException {
        Path root = projectRoot();
        for (Path file : buildFiles(root)) {
            Path target = copy.resolve(root.relativize(file));
            Files.createDirectories(target.getParent());
            Files.copy(file, target);
        }
    }

    @Test
    void builds_asTheyAre_agree() {
        BuildModel maven = MavenBuild.read(copy);

        assertFalse(maven.modules().get(MODULE).dependencies().isEmpty());
        assertFalse(maven.platforms().isEmpty());
        assertEquals(List.of(), BuildModel.differences(maven, GradleBuild.read(copy)));
    }

    @Test
    void scripts_allOfThem_belongToAModule() throws IOException {
        List<String> expected = Stream.concat(
                        Stream.of("build.gradle.kts", "settings.gradle.kts"),
                        MavenBuild.read(copy).modules().keySet().stream().map(module -> module + "/build.gradle.kts"))
                .sorted()
                .toList();

        List<String> scripts = buildFiles(copy).stream()
                .map(file -> copy.relativize(file).toString().replace('\\', '/'))
                .filter(file -> file.endsWith(".gradle.kts"))
                .sorted()
                .toList();

        assertEquals(expected, scripts);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # a dependency is missing, or has another scope
            io-nio2/build.gradle.kts | testImplementation(libs.kotest.property) | '' | only Maven: module io-nio2: TEST io.kotest:kotest-property-jvm
            kotlin-adapter/build.gradle.kts | api(project(":dispatcher-java")) | '' | only Maven: module kotlin-adapter: MAIN project dispatcher-java
            dispatcher-java/build.gradle.kts | compileOnly(libs.jspecify) | api(libs.jspecify) | only Gradle: module dispatcher-java: MAIN org.jspecify:jspecify
            dispatcher-java/pom.xml | <scope>provided</scope> | '' | only Maven: module dispatcher-java: MAIN org.jspecify:jspecify
            # a version differs: of a library, a BOM, the Kotlin plugin, the project
            gradle/libs.versions.toml | jol = " | jol = "9. | only Gradle: module dispatcher-java: TEST org.openjdk.jol:jol-core 9.
            pom.xml | <lincheck.version> | <lincheck.version>9. | only Maven: module dispatcher-java: TEST org.jetbrains.lincheck:lincheck 9.
            pom.xml | <junit.version> | <junit.version>9. | only Maven: BOM org.junit:junit-bom 9.
            gradle/libs.versions.toml | kotlin = " | kotlin = "9. | only Gradle: Kotlin plugin 9.
            gradle.properties | version= | version=9. | only Gradle: project dev.latencyhiding:9.
            # a module is missing, or is not compiled with Kotlin
            settings.gradle.kts | "sample-apps", | '' | only Maven: module sample-apps
            pom.xml | <module>io-nio2</module> | '' | only Gradle: module io-nio2
            kotlin-adapter/build.gradle.kts | alias(libs.plugins.kotlin.jvm) | '' | only Maven: module kotlin-adapter, in Kotlin
            """)
    void builds_afterOneChanged_differ(String file, String text, String replacement, String difference)
            throws IOException {
        replace(file, text, replacement);

        List<String> differences = BuildModel.differences(MavenBuild.read(copy), GradleBuild.read(copy));

        assertTrue(differences.stream().anyMatch(line -> line.startsWith(difference)), differences::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"build.gradle.kts", "settings.gradle.kts", MODULE + "/build.gradle.kts"})
    void script_withSyntaxError_isReportedWithItsLine(String script) throws IOException {
        Files.writeString(copy.resolve(script), "plugins {\n    java\n");

        Exception e = assertThrows(IllegalArgumentException.class, () -> GradleBuild.read(copy));

        assertTrue(e.getMessage().startsWith(script + ":2: Expecting '}'"), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "testImplementation(\"org.openjdk.jol:jol-core:0.17\")",
                "if (fast) testImplementation(libs.jol.core)",
                "testFixturesApi(libs.jol.core)",
                "testImplementation(libs.no.such.library)",
            })
    void dependency_inAnotherForm_isNotOverlooked(String declaration) throws IOException {
        replace(MODULE + "/build.gradle.kts", "testImplementation(libs.jol.core)", declaration);

        assertThrows(IllegalArgumentException.class, () -> GradleBuild.read(copy));
    }

    private void replace(String file, String text, String replacement) throws IOException {
        String before = Files.readString(copy.resolve(file));
        String after = before.replace(text, replacement);
        assertNotEquals(before, after, () -> file + " has no " + text);
        Files.writeString(copy.resolve(file), after);
    }

    private static List<Path> buildFiles(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root, 2)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> {
                        String name = file.getFileName().toString();
                        return name.equals("pom.xml")
                                || name.equals("gradle.properties")
                                || name.endsWith(".gradle.kts")
                                || name.endsWith(".versions.toml");
                    })
                    .toList();
        }
    }

    private static Path projectRoot() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("settings.gradle.kts"))) {
            folder = folder.getParent();
        }
        return folder;
    }
}
