package dev.latencyhiding.benchmarks.build;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What the two builds have in common, in words that belong to neither.
 *
 * @param coordinates group and version of everything the build makes
 * @param modules by folder
 * @param platforms versions of the BOMs, by {@code group:artifact}
 * @param kotlin version of the Kotlin plugin
 */
record BuildModel(String coordinates, Map<String, Module> modules, Map<String, String> platforms, String kotlin) {
    /** One module: whether it compiles Kotlin, and what it depends on. */
    record Module(boolean kotlin, Set<Dependency> dependencies) {}

    /**
     * @param name {@code group:artifact}, or {@code project folder} for another module of this build
     * @param version the version, empty for another module of this build
     */
    record Dependency(String name, String version, Scope scope) {
        static Dependency onProject(String folder, Scope scope) {
            return new Dependency("project " + folder, "", scope);
        }
    }

    /** Who sees a dependency: users of the jar, only the compiler, or only the tests. */
    enum Scope {
        MAIN,
        PROVIDED,
        TEST
    }

    /** What one build says and the other does not, in lines for people to read; empty if they agree. */
    static List<String> differences(BuildModel maven, BuildModel gradle) {
        return Stream.concat(
                        maven.without(gradle).map(fact -> "only Maven: " + fact),
                        gradle.without(maven).map(fact -> "only Gradle: " + fact))
                .toList();
    }

    private Stream<String> without(BuildModel other) {
        Set<String> facts = facts();
        facts.removeAll(other.facts());
        return facts.stream();
    }

    private Set<String> facts() {
        Set<String> facts = new TreeSet<>();
        facts.add("project " + coordinates);
        facts.add("Kotlin plugin " + kotlin);
        platforms.forEach((name, version) -> facts.add("BOM " + name + " " + version));
        modules.forEach((folder, module) -> {
            facts.add("module " + folder + (module.kotlin ? ", in Kotlin" : ""));
            for (Dependency dependency : module.dependencies) {
                facts.add("module " + folder + ": " + dependency.scope + " " + dependency.name + " "
                        + dependency.version);
            }
        });
        return facts;
    }
}
