package dev.latencyhiding.benchmarks.report;

import dev.latencyhiding.benchmarks.Better;
import dev.latencyhiding.benchmarks.Measurement;
import dev.latencyhiding.benchmarks.report.Figures.Figure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One figure: a chart, and the table with the same values and their ratios. */
final class FigureView {
    private final String workload;
    private final Figure figure;
    private final Colours colours;

    FigureView(String workload, Figure figure, Colours colours) {
        this.workload = workload;
        this.figure = figure;
        this.colours = colours;
    }

    void render(Html out) {
        final Measurement first = figure.measurements().get(0);
        final String unit = first.unit().isEmpty() ? "" : " in " + first.unit();
        final String better = first.better() == Better.LOWER ? "lower is better" : "higher is better";
        out.open("figure").open("figcaption");
        out.element("h3", figure.title(unit))
                .element("span", better, "class", "hint")
                .close();
        if (figure.axis() == null) {
            renderBars(out);
        } else {
            renderLines(out, figure.axis(), figure.metric() + unit);
        }
        out.close();
    }

    private void renderBars(Html out) {
        final List<Measurement> bars = new ArrayList<>(figure.measurements());
        bars.sort(Comparator.comparingDouble(
                bar -> bar.better() == Better.LOWER || Double.isNaN(bar.value()) ? bar.value() : -bar.value()));
        new BarChart(workload + ": " + figure.title(""), bars, colours).render(out);
        final Table table =
                Table.of(caption()).textColumn("dispatcher").column("value").column("spread");
        final List<Function<Measurement, @Nullable Double>> ratios = new ArrayList<>();
        addRatio(table, ratios, bars, "× Default", Measurement::ratioToDefault);
        addRatio(table, ratios, bars, "× best other", Measurement::ratioToBestPeer);
        addRatio(table, ratios, bars, "× bound", Measurement::ratioToBound);
        bars.forEach(bar -> table.row(barRow(bar, ratios)));
        table.render(out);
    }

    private static void addRatio(
            Table table,
            List<Function<Measurement, @Nullable Double>> ratios,
            List<Measurement> bars,
            String name,
            Function<Measurement, @Nullable Double> ratio) {
        if (bars.stream().anyMatch(bar -> ratio.apply(bar) != null)) {
            table.column(name);
            ratios.add(ratio);
        }
    }

    private Object[] barRow(Measurement bar, List<Function<Measurement, @Nullable Double>> ratios) {
        final List<Object> cells = new ArrayList<>();
        cells.add(colours.isOurs(bar.dispatcher()) ? new Table.Cell(bar.dispatcher(), "ours") : bar.dispatcher());
        cells.add(Numbers.format(bar.value()));
        cells.add(Numbers.percent(bar.spread()));
        for (Function<Measurement, @Nullable Double> ratio : ratios) {
            final Double value = ratio.apply(bar);
            cells.add(value == null ? "–" : Numbers.ratio(value));
        }
        return cells.toArray();
    }

    private void renderLines(Html out, String axis, String yLabel) {
        final SortedMap<Double, Map<String, Measurement>> places = figure.byPlace();
        final List<String> names = colours.names().stream()
                .filter(name -> figure.measurements().stream()
                        .anyMatch(measurement -> measurement.dispatcher().equals(name)))
                .toList();
        final List<Series> lines = names.stream()
                .map(name -> new Series(name, colours.of(name), line(places, name)))
                .toList();
        new LineChart(workload + ": " + figure.title(""), axis, yLabel, lines).render(out);
        out.open("details").element("summary", "Values");
        final Table table = Table.of(caption()).column(axis);
        names.forEach(table::column);
        places.forEach((place, values) -> {
            final List<Object> cells = new ArrayList<>();
            cells.add(Numbers.format(place));
            names.forEach(name -> cells.add(lineCell(values.get(name))));
            table.row(cells.toArray());
        });
        table.render(out);
        out.close();
    }

    private static SortedMap<Double, Double> line(SortedMap<Double, Map<String, Measurement>> places, String name) {
        final SortedMap<Double, Double> points = new TreeMap<>();
        places.forEach((place, values) -> {
            final Measurement value = values.get(name);
            if (value != null) {
                points.put(place, value.value());
            }
        });
        return points;
    }

    private static String lineCell(@Nullable Measurement measurement) {
        if (measurement == null) {
            return "–";
        }
        final Double toBound = measurement.ratioToBound();
        return Numbers.format(measurement.value()) + (toBound == null ? "" : " (" + Numbers.ratio(toBound) + ")");
    }

    private String caption() {
        final boolean bound = figure.axis() != null
                && figure.measurements().stream().anyMatch(measurement -> measurement.ratioToBound() != null);
        return workload + ": " + figure.title("") + (bound ? " (in brackets: times the lower bound)" : "");
    }
}
