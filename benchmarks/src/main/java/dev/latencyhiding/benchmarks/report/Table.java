package dev.latencyhiding.benchmarks.report;

import java.util.ArrayList;
import java.util.List;

/** A table with a caption, numbers to the right and texts to the left; wide ones scroll by themselves. */
final class Table {
    /** What stands in a cell, and how it is marked. */
    record Cell(String text, String style) {}

    private final String caption;
    private final List<Cell> columns = new ArrayList<>();
    private final List<List<Cell>> rows = new ArrayList<>();

    private Table(String caption) {
        this.caption = caption;
    }

    static Table of(String caption) {
        return new Table(caption);
    }

    /** A text on coloured ground. */
    static Cell badge(String text, String style) {
        return new Cell(text, "badge " + style);
    }

    /** A column of numbers. */
    Table column(String name) {
        columns.add(new Cell(name, "number"));
        return this;
    }

    Table textColumn(String name) {
        columns.add(new Cell(name, "text"));
        return this;
    }

    /** Adds a row of strings and {@link Cell}s. */
    void row(Object... cells) {
        if (cells.length != columns.size()) {
            throw new IllegalArgumentException(cells.length + " cells for " + columns.size() + " columns");
        }
        final List<Cell> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(cell instanceof Cell styled ? styled : new Cell(cell.toString(), ""));
        }
        rows.add(row);
    }

    void render(Html out) {
        out.open("div", "class", "scroll", "role", "region", "tabindex", "0", "aria-label", caption);
        out.open("table").element("caption", caption).open("thead").open("tr");
        columns.forEach(column -> out.element("th", column.text(), "scope", "col", "class", column.style()));
        out.close().close().open("tbody");
        for (List<Cell> row : rows) {
            out.open("tr");
            for (int i = 0; i < row.size(); i++) {
                renderCell(out, row.get(i), columns.get(i).style(), i == 0);
            }
            out.close();
        }
        out.close().close().close();
    }

    private static void renderCell(Html out, Cell cell, String style, boolean heading) {
        if (cell.style().startsWith("badge")) {
            out.open("td", "class", style)
                    .element("span", cell.text(), "class", cell.style())
                    .close();
        } else if (heading) {
            out.element("th", cell.text(), "scope", "row", "class", (style + " " + cell.style()).strip());
        } else {
            out.element("td", cell.text(), "class", (style + " " + cell.style()).strip());
        }
    }
}
