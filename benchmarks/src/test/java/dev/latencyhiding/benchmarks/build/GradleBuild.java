package dev.latencyhiding.benchmarks.build;

import dev.latencyhiding.benchmarks.build.BuildModel.Dependency;
import dev.latencyhiding.benchmarks.build.BuildModel.Module;
import dev.latencyhiding.benchmarks.build.BuildModel.Scope;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jetbrains.kotlin.psi.KtCallExpression;
import org.jetbrains.kotlin.psi.KtExpression;
import org.jetbrains.kotlin.psi.KtFile;
import org.jetbrains.kotlin.psi.KtStringTemplateExpression;
import org.jetbrains.kotlin.psi.KtValueArgument;

/**
 * Reads the Gradle scripts without running them. Dependencies must be written in the few forms the scripts use; any
 * other form is an error, so that nothing is overlooked.
 */
final class GradleBuild {
    private static final String SCRIPT = "build.gradle.kts";
    private static final String KOTLIN_PLUGIN = "libs.plugins.kotlin.jvm";

    private final Path root;
    private final KotlinScripts scripts;
    private final VersionCatalog catalog;
    private final Map<String, String> platforms = new TreeMap<>();

    private GradleBuild(Path root, KotlinScripts scripts) {
        this.root = root;
        this.scripts = scripts;
        this.catalog = VersionCatalog.read(root);
    }

    static BuildModel read(Path root) {
        try (KotlinScripts scripts = new KotlinScripts()) {
            return new GradleBuild(root, scripts).read();
        }
    }

    private BuildModel read() {
        Map<String, Module> modules = new TreeMap<>();
        for (KtCallExpression include : KotlinScripts.calls(parse(root.resolve("settings.gradle.kts")), "include")) {
            for (KtValueArgument folder : include.getValueArguments()) {
                String name = literal(folder.getArgumentExpression());
                modules.put(name, module(parse(root.resolve(name).resolve(SCRIPT))));
            }
        }
        parse(root.resolve(SCRIPT));
        String kotlin = catalog.get(KOTLIN_PLUGIN).version();
        if (!catalog.unused().isEmpty()) {
            throw new IllegalArgumentException("Nobody uses " + catalog.unused() + " of the catalog");
        }
        return new BuildModel(coordinates(), modules, platforms, kotlin);
    }

    private KtFile parse(Path script) {
        KtFile file = scripts.parse(script);
        List<String> errors = KotlinScripts.syntaxErrors(file);
        if (!errors.isEmpty()) {
            throw new IllegalArgumentException(root.relativize(script) + ":" + String.join("; ", errors));
        }
        return file;
    }

    private String coordinates() {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(root.resolve("gradle.properties"))) {
            properties.load(reader);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("group") + ":" + properties.getProperty("version");
    }

    private Module module(KtFile script) {
        boolean kotlin = KotlinScripts.calls(script, "alias").stream()
                .anyMatch(alias -> argument(alias).getText().equals(KOTLIN_PLUGIN));
        Set<Dependency> declared = new LinkedHashSet<>();
        KotlinScripts.calls(script, "dependencies").stream()
                .flatMap(block -> KotlinScripts.statements(block).stream())
                .flatMap(this::dependency)
                .forEach(declared::add);
        // What the main code sees, Maven's tests see too; Gradle has to be told.
        Set<Dependency> dependencies = new LinkedHashSet<>(declared);
        dependencies.removeIf(dependency -> dependency.scope() == Scope.TEST
                && declared.stream()
                        .anyMatch(other ->
                                other.scope() != Scope.TEST && other.name().equals(dependency.name())));
        return new Module(kotlin, dependencies);
    }

    /** The dependency that a statement like {@code api(libs.lincheck)} declares, if Maven has a word for it. */
    private Stream<Dependency> dependency(KtExpression statement) {
        if (!(statement instanceof KtCallExpression declaration)) {
            throw notUnderstood(statement);
        }
        KtExpression what = argument(declaration);
        String configuration = KotlinScripts.nameOf(declaration);
        if (configuration.equals("annotationProcessor") || configuration.equals("testAnnotationProcessor")) {
            catalog.get(what.getText());
            return Stream.empty();
        }
        Scope scope = switch (configuration) {
            case "api", "implementation", "runtimeOnly" -> Scope.MAIN;
            case "compileOnly" -> Scope.PROVIDED;
            case "testImplementation", "testCompileOnly", "testRuntimeOnly" -> Scope.TEST;
            default -> throw notUnderstood(statement);
        };
        if (!(what instanceof KtCallExpression call)) {
            VersionCatalog.Entry library = catalog.get(what.getText());
            return Stream.of(new Dependency(library.name(), library.version(), scope));
        }
        return switch (KotlinScripts.nameOf(call)) {
            case "project" ->
                Stream.of(Dependency.onProject(literal(argument(call)).substring(1), scope));
            case "platform" -> {
                VersionCatalog.Entry platform = catalog.get(argument(call).getText());
                platforms.put(platform.name(), platform.version());
                yield Stream.empty();
            }
            default -> throw notUnderstood(statement);
        };
    }

    private static KtExpression argument(KtCallExpression call) {
        if (call.getValueArguments().size() != 1) {
            throw notUnderstood(call);
        }
        return call.getValueArguments().get(0).getArgumentExpression();
    }

    private static String literal(KtExpression expression) {
        if (expression instanceof KtStringTemplateExpression string && !string.hasInterpolation()) {
            return string.getEntries()[0].getText();
        }
        throw notUnderstood(expression);
    }

    private static IllegalArgumentException notUnderstood(KtExpression expression) {
        return new IllegalArgumentException("Not understood: " + expression.getText());
    }
}
