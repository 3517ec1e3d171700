package dev.latencyhiding.benchmarks.compare;

import dev.latencyhiding.benchmarks.BarResult;
import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.Profile;
import dev.latencyhiding.benchmarks.Profile.Part;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Prints results for people. */
final class Tables {
    private final PrintWriter out;
    private final List<String> dispatchers;
    private final int roundsInJvm;

    /** @param dispatchers those that get a row in every table, with a dash if there is no value */
    Tables(PrintWriter out, List<String> dispatchers, int roundsInJvm) {
        this.out = out;
        this.dispatchers = dispatchers;
        this.roundsInJvm = roundsInJvm;
    }

    /** The measurements of one workload, grouped by case and metric. */
    void print(List<Measurement> ofWorkload) {
        ofWorkload.stream()
                .collect(Collectors.groupingBy(Contest::name, LinkedHashMap::new, Collectors.toList()))
                .values()
                .forEach(this::printMetric);
        out.flush();
    }

    private void printMetric(List<Measurement> ofMetric) {
        header(ofMetric.get(0));
        ofMetric.forEach(this::row);
        dispatchers.stream()
                .filter(name -> ofMetric.stream()
                        .noneMatch(measurement -> measurement.dispatcher().equals(name)))
                .forEach(name -> out.printf(Locale.ROOT, "  %-22s %12s%n", name, "–"));
        Contest.of(ofMetric, roundsInJvm).values().forEach(this::verdict);
    }

    private void verdict(Contest contest) {
        List<String> level = contest.level(Contest.MARGIN);
        out.printf(
                Locale.ROOT,
                level.size() == 1 ? "  %s wins by more than %.0f %%%n" : "  within %2$.0f %%, or by chance: %1$s%n",
                String.join(", ", level),
                100 * Contest.MARGIN);
    }

    private void header(Measurement measurement) {
        String unit = measurement.unit().isEmpty() ? "" : " in " + measurement.unit();
        out.printf(
                Locale.ROOT,
                "%n%s%s (%s is better)%n  %-22s %12s %7s %10s %10s %9s%n",
                Contest.name(measurement),
                unit,
                measurement.better().name().toLowerCase(Locale.ROOT),
                "",
                "median",
                "spread",
                "× Default",
                "× best",
                "× bound");
    }

    private void row(Measurement measurement) {
        out.printf(
                Locale.ROOT,
                "  %-22s %12s %6.0f%% %10s %10s %9s%n",
                measurement.dispatcher(),
                number(measurement.value()),
                100 * measurement.spread(),
                ratio(measurement.ratioToDefault()),
                ratio(measurement.ratioToBestPeer()),
                ratio(measurement.ratioToBound()));
    }

    void printBars(List<BarResult> bars) {
        out.printf(Locale.ROOT, "%nBars%n  %-3s %-44s %-36s %9s %9s  %s%n", "#", "asked", "of", "limit", "is", "");
        for (BarResult bar : bars) {
            out.printf(
                    Locale.ROOT,
                    "  %-3d %-44s %-36s %9s %9s  %s%n",
                    bar.number(),
                    bar.bar(),
                    bar.subject(),
                    number(bar.limit()),
                    number(bar.value()),
                    bar.inWords());
        }
        out.flush();
    }

    /** A row for each, in pairs of ours and the one that it is compared with; and what is missing. */
    void printProfiles(List<Profile> profiles, List<String> missing) {
        if (!profiles.isEmpty()) {
            out.printf(
                    Locale.ROOT,
                    "%nWhere the time of these goes: processor time of a run, in ms%n  %-22s %8s",
                    "",
                    "all");
            for (Part part : Part.values()) {
                out.printf(Locale.ROOT, " %" + width(part) + "s", part.label());
            }
            out.println();
        }
        String subject = "";
        for (Profile profile : profiles) {
            if (!subject.equals(profile.workload() + Labels.of(profile.parameters()))) {
                subject = profile.workload() + Labels.of(profile.parameters());
                out.println(subject);
            }
            printProfile(profile);
        }
        missing.forEach(what -> out.println("No profile of " + what));
        out.flush();
    }

    private void printProfile(Profile profile) {
        out.printf(Locale.ROOT, "  %-22s %8s", profile.dispatcher(), number(profile.allMillis()));
        for (Part part : Part.values()) {
            out.printf(Locale.ROOT, " %" + width(part) + "s", number(profile.millis(part)));
        }
        String hottest = profile.hottest().stream()
                .map(method -> method.name() + " " + number(method.millis()))
                .collect(Collectors.joining(", "));
        out.println(hottest.isEmpty() ? "" : "\n    " + hottest);
    }

    private static int width(Part part) {
        return Math.max(8, part.label().length());
    }

    /** Of a virtual machine; a reader must know before trusting a tail. */
    void printStolen(double share) {
        out.printf(
                Locale.ROOT,
                "%nOf the processors' time that was wanted, the host gave %.0f %% to others.%n",
                100 * share);
    }

    /** Of the processors, at the beginning and at the end of a run: a host may move a virtual machine meanwhile. */
    void printDistance(@Nullable Double nanosBefore, @Nullable Double nanosAfter) {
        if (nanosBefore != null && nanosAfter != null) {
            out.printf(
                    Locale.ROOT,
                    "A cache line took %.0f ns to another processor and back at the beginning, %.0f at the end.%n",
                    nanosBefore,
                    nanosAfter);
        }
    }

    /** Three significant digits, or all digits before the point. */
    static String number(double value) {
        if (Double.isNaN(value)) {
            return "–";
        }
        double size = Math.abs(value);
        int decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }

    private static String ratio(@Nullable Double ratio) {
        return ratio == null || ratio.isNaN() ? "" : String.format(Locale.ROOT, "%.2f", ratio);
    }
}
