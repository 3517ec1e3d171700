package dev.latencyhiding.benchmarks.build;

import com.electronwill.nightconfig.core.UnmodifiableConfig;
import com.electronwill.nightconfig.toml.TomlParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The libraries and plugins of {@code gradle/libs.versions.toml}, by the accessor that scripts use. */
final class VersionCatalog {
    /**
     * @param name {@code group:artifact} of a library, id of a plugin
     */
    record Entry(String name, String version) {}

    private final Map<String, Entry> entries = new HashMap<>();
    private final Set<String> unused = new TreeSet<>();

    private VersionCatalog(UnmodifiableConfig toml) {
        UnmodifiableConfig versions = toml.get("versions");
        add("libs.", toml.get("libraries"), "module", versions);
        add("libs.plugins.", toml.get("plugins"), "id", versions);
        unused.addAll(entries.keySet());
    }

    static VersionCatalog read(Path root) {
        try {
            return new VersionCatalog(
                    new TomlParser().parse(Files.readString(root.resolve("gradle/libs.versions.toml"))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void add(String prefix, UnmodifiableConfig table, String nameKey, UnmodifiableConfig versions) {
        for (UnmodifiableConfig.Entry row : table.entrySet()) {
            UnmodifiableConfig value = row.getValue();
            String versionName = value.get(List.of("version", "ref"));
            String version = versions.get(List.of(versionName));
            if (version == null) {
                throw new IllegalArgumentException("The catalog has no version " + versionName);
            }
            // Gradle makes dots of the dashes: kotlin-stdlib is libs.kotlin.stdlib.
            entries.put(prefix + row.getKey().replace('-', '.'), new Entry(value.get(nameKey), version));
        }
    }

    Entry get(String accessor) {
        Entry entry = entries.get(accessor);
        if (entry == null) {
            throw new IllegalArgumentException("The catalog has no " + accessor);
        }
        unused.remove(accessor);
        return entry;
    }

    /** The accessors that nobody asked for yet. */
    Set<String> unused() {
        return unused;
    }
}
