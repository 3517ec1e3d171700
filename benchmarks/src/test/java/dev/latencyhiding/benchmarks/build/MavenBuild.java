package dev.latencyhiding.benchmarks.build;

import dev.latencyhiding.benchmarks.build.BuildModel.Dependency;
import dev.latencyhiding.benchmarks.build.BuildModel.Module;
import dev.latencyhiding.benchmarks.build.BuildModel.Scope;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Reads the poms, as far as Maven's inheritance is used in them. */
final class MavenBuild {
    private static final Pattern PROPERTY = Pattern.compile("\\$\\{([^}]+)}");
    private static final String KOTLIN_PLUGIN = "kotlin-maven-plugin";

    private final Path root;
    private final XmlNode parent;
    private final Map<String, String> properties = new HashMap<>();
    private final Map<String, String> managedVersions = new HashMap<>();
    private final Map<String, String> platforms = new TreeMap<>();

    private MavenBuild(Path root) {
        this.root = root;
        this.parent = XmlNode.read(root.resolve("pom.xml"));
    }

    static BuildModel read(Path root) {
        return new MavenBuild(root).read();
    }

    private BuildModel read() {
        properties.put("project.version", parent.text("version"));
        parent.children("properties").forEach(property -> properties.put(property.name(), property.text()));
        for (XmlNode managed : parent.children("dependencyManagement", "dependencies")) {
            boolean isPlatform = managed.optionalText("scope").equals(Optional.of("import"));
            (isPlatform ? platforms : managedVersions).put(nameOf(managed), resolved(managed.text("version")));
        }

        Map<String, XmlNode> poms = new LinkedHashMap<>();
        Map<String, String> folders = new HashMap<>();
        for (XmlNode module : parent.children("modules")) {
            XmlNode pom = XmlNode.read(root.resolve(module.text()).resolve("pom.xml"));
            poms.put(module.text(), pom);
            folders.put(parent.text("groupId") + ":" + pom.text("artifactId"), module.text());
        }

        Map<String, Module> modules = new TreeMap<>();
        poms.forEach((folder, pom) -> modules.put(folder, new Module(usesKotlin(pom), dependencies(pom, folders))));
        return new BuildModel(
                parent.text("groupId") + ":" + parent.text("version"), modules, platforms, kotlinVersion());
    }

    private Set<Dependency> dependencies(XmlNode pom, Map<String, String> folders) {
        Set<Dependency> dependencies = new LinkedHashSet<>();
        for (XmlNode declared : pom.children("dependencies")) {
            String name = nameOf(declared);
            Scope scope = scopeOf(declared);
            if (folders.containsKey(name)) {
                dependencies.add(Dependency.onProject(folders.get(name), scope));
            } else {
                String version = declared.optionalText("version")
                        .map(this::resolved)
                        .or(() -> Optional.ofNullable(managedVersions.get(name)))
                        .orElseThrow(() -> new IllegalArgumentException(name + " has no version in the poms"));
                dependencies.add(new Dependency(name, version, scope));
            }
        }
        return dependencies;
    }

    private static boolean usesKotlin(XmlNode pom) {
        return pom.children("build", "plugins").stream()
                .anyMatch(plugin -> plugin.text("artifactId").equals(KOTLIN_PLUGIN));
    }

    private String kotlinVersion() {
        return parent.children("build", "pluginManagement", "plugins").stream()
                .filter(plugin -> plugin.text("artifactId").equals(KOTLIN_PLUGIN))
                .map(plugin -> resolved(plugin.text("version")))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("pom.xml does not manage " + KOTLIN_PLUGIN));
    }

    private static String nameOf(XmlNode dependency) {
        return dependency.text("groupId") + ":" + dependency.text("artifactId");
    }

    private static Scope scopeOf(XmlNode dependency) {
        String scope = dependency.optionalText("scope").orElse("compile");
        return switch (scope) {
            case "compile", "runtime" -> Scope.MAIN;
            case "provided" -> Scope.PROVIDED;
            case "test" -> Scope.TEST;
            default -> throw new IllegalArgumentException("Scope " + scope + " of " + nameOf(dependency));
        };
    }

    private String resolved(String text) {
        return PROPERTY.matcher(text).replaceAll(this::valueOf);
    }

    private String valueOf(MatchResult reference) {
        String value = properties.get(reference.group(1));
        if (value == null) {
            throw new IllegalArgumentException("pom.xml does not define " + reference.group());
        }
        return value;
    }
}
