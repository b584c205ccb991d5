"""A table as Markdown or HTML; every cell is literal text."""

from collections.abc import Iterable, Sequence

from reviewer.core.table import Cell, Table
from reviewer.report.escaping import html_text, markdown_text
from reviewer.report.text_table import is_number, numeric_columns

_NOTHING = "–"


def markdown_table(table: Table) -> str:
    """A table of GitHub's Markdown, numbers to the right."""
    right = numeric_columns(table)
    rule = ("---:" if numbers else ":---" for numbers in right)
    lines = [_piped(map(markdown_text, table.columns)), _piped(rule)]
    lines += [_piped(map(_markdown_cell, row)) for row in table.rows]
    return "\n".join(lines) + "\n"


def html_table(table: Table, caption: str, emphasised: Sequence[bool] = ()) -> str:
    """A table element with a caption; ``emphasised`` rows (those of pooled values) are highlighted."""
    right = numeric_columns(table)
    classes = [' class="number"' if numbers else "" for numbers in right]
    head = "".join(
        f'<th scope="col"{c}>{html_text(n)}</th>' for c, n in zip(classes, table.columns, strict=True)
    )
    strong = [*emphasised, *[False] * (len(table.rows) - len(emphasised))]
    rows = [
        f"<tr{' class=summary' if loud else ''}>"
        + "".join(f"<td{c}>{cell}</td>" for c, cell in zip(classes, map(_html_cell, row), strict=True))
        + "</tr>"
        for row, loud in zip(table.rows, strong, strict=True)
    ]
    return (
        f"<table>\n<caption>{html_text(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n"
        + "\n".join(rows)
        + "\n</tbody>\n</table>\n"
    )


def _markdown_cell(cell: Cell) -> str:
    return cell_text(cell) if is_number(cell) else markdown_text(cell_text(cell))


def _html_cell(cell: Cell) -> str:
    text = html_text(cell_text(cell))
    if not is_number(cell):
        return text
    # On paper a line may break before an interval, and nowhere else in a number.
    value, bracket, ends = text.replace("-", "−").partition(" [")
    return f"{value} <span class=ends>[{ends}</span>" if bracket else value


def cell_text(cell: Cell) -> str:
    """A cell as people read it."""
    if cell is None:
        return _NOTHING
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)


def _piped(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
