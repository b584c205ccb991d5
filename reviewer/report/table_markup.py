"""A table as Markdown, LaTeX (booktabs) or HTML; every cell is literal text."""

from collections.abc import Iterable, Sequence

from reviewer.core.table import Cell, Table
from reviewer.report.escaping import html_text, latex_text, markdown_text
from reviewer.report.text_table import is_number, numeric_columns

_NOTHING = "–"
_LONG = 32
"""Rows from which on a LaTeX table may break across pages."""


def markdown_table(table: Table) -> str:
    """A table of GitHub's Markdown, numbers to the right."""
    right = numeric_columns(table)
    rule = ("---:" if numbers else ":---" for numbers in right)
    lines = [_piped(map(markdown_text, table.columns)), _piped(rule)]
    lines += [_piped(map(_markdown_cell, row)) for row in table.rows]
    return "\n".join(lines) + "\n"


def latex_table(table: Table, caption: str, label: str, notes: Sequence[str] = ()) -> str:
    """A booktabs table with caption, label and notes; one with many rows breaks across pages."""
    columns = "@{}" + "".join("r" if numbers else "l" for numbers in numeric_columns(table)) + "@{}"
    head = _row(map(latex_text, table.columns))
    body = [_row(map(_latex_cell, row)) for row in table.rows]
    small = "\\par\\smallskip\n\\footnotesize " + " ".join(map(latex_text, notes)) if notes else ""
    title = f"\\caption{{{latex_text(caption)}}}\\label{{{label}}}"
    lines = [head, "\\midrule", *body, "\\bottomrule"]
    if len(body) >= _LONG:
        return _long_table(columns, title, head, body, small)
    return "\n".join(
        [
            "\\begin{table}[htbp]",
            "\\centering\\small",
            title,
            f"\\sbox0{{\\begin{{tabular}}{{{columns}}}",
            "\\toprule",
            *lines,
            "\\end{tabular}}%",
            # A table wider than the page is made to fit; one that fits stays as it is.
            "\\ifdim\\wd0>\\linewidth\\resizebox{\\linewidth}{!}{\\usebox0}\\else\\usebox0\\fi",
            *([small] if small else []),
            "\\end{table}\n",
        ]
    )


def _long_table(columns: str, title: str, head: str, body: Sequence[str], small: str) -> str:
    parts = [
        "{\\footnotesize\\setlength{\\tabcolsep}{3pt}",
        f"\\begin{{longtable}}{{{columns}}}",
        title + " \\\\",
        f"\\toprule\n{head}\n\\midrule\n\\endfirsthead",
        f"\\toprule\n{head}\n\\midrule\n\\endhead",
        "\\bottomrule\n\\endlastfoot",
        *body,
        "\\end{longtable}",
        *([f"\\noindent{small}"] if small else []),
        "}\n",
    ]
    return "\n".join(parts)


def html_table(table: Table, caption: str, emphasised: Sequence[bool] = ()) -> str:
    """A table element with a caption; ``emphasised`` rows (those of pooled values) stand out."""
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
    return _shown(cell) if is_number(cell) else markdown_text(_shown(cell))


def _html_cell(cell: Cell) -> str:
    shown = html_text(_shown(cell))
    return shown.replace("-", "−") if is_number(cell) else shown


def _latex_cell(cell: Cell) -> str:
    shown = _shown(cell)
    if not is_number(cell):
        return latex_text(shown)
    return shown.replace("-", "$-$").replace("<", "$<$").replace("–", "--")


def _shown(cell: Cell) -> str:
    if cell is None:
        return _NOTHING
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)


def _piped(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + " \\\\"
