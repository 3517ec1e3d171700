package dev.latencyhiding.benchmarks.report;

import dev.latencyhiding.benchmarks.Profile;
import dev.latencyhiding.benchmarks.Profile.Part;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;

/** Where the time went in the cases that were profiled: a chart for each, and the methods with most of it. */
final class ProfileSection {
    private final List<Profile> profiles;

    ProfileSection(List<Profile> profiles) {
        this.profiles = profiles;
    }

    void render(Html out, String id) {
        out.open("section", "id", id).element("h2", "Where the time of missed bars goes");
        out.element("p", "What the processors did during one run, in milliseconds of all of them together.");
        StackChart.renderLegend(out);
        out.open("div", "class", "figures");
        profiles.stream()
                .collect(Collectors.groupingBy(ProfileSection::subject, LinkedHashMap::new, Collectors.toList()))
                .forEach((subject, ofCase) -> renderCase(out, subject, ofCase));
        out.close().close();
    }

    private static void renderCase(Html out, String subject, List<Profile> ofCase) {
        out.open("figure").open("figcaption").element("h3", subject).close();
        new StackChart("Time of " + subject, ofCase).render(out);
        final Table table = Table.of("Time of " + subject).textColumn("dispatcher");
        List<Part> parts = List.of(Part.values());
        parts.forEach(part -> table.column(part.label()));
        for (Profile profile : ofCase) {
            final List<Object> cells = new ArrayList<>();
            cells.add(profile.dispatcher());
            parts.forEach(part -> cells.add(Numbers.format(profile.millis(part))));
            table.row(cells.toArray());
        }
        out.open("details").element("summary", "Values");
        table.render(out);
        ofCase.forEach(profile -> renderHottest(out, profile));
        out.close().close();
    }

    private static void renderHottest(Html out, Profile profile) {
        final Table table = Table.of("Methods of " + profile.dispatcher())
                .textColumn(profile.dispatcher() + ": methods, the program's own left out")
                .column("ms");
        profile.hottest().forEach(method -> table.row(method.name(), Numbers.format(method.millis())));
        table.render(out);
    }

    /** For example {@code mapreduce, δ 5 ms}. */
    private static String subject(Profile profile) {
        return profile.parameters().entrySet().stream()
                .map(parameter -> ", " + parameter.getKey() + " " + parameter.getValue())
                .collect(Collectors.joining("", profile.workload(), ""));
    }
}
