"""A table as LaTeX (booktabs), at a readable size: one that is too wide is split into parts.

A character is taken to be half an em wide. This estimate only decides where to split; a text
column that is wide for its part breaks its lines.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from reviewer.core.sanitize import one_line
from reviewer.core.table import Cell, Table
from reviewer.report.escaping import latex_text
from reviewer.report.table_markup import cell_text
from reviewer.report.text_table import is_number, numeric_columns

_LONG = 28
"""Rows from which on a table may break across pages."""
_WIDTH = 106
"""Characters of a line: 160 mm in footnotesize."""
_GAP = 2
"""Space between two columns, in characters."""
_WIDEST = 34
"""Characters of a text column; longer texts break."""
_BESIDE_KEYS = 20
"""Characters that a part has for values at least, however wide its keys are."""


@dataclass(frozen=True)
class _Column:
    head: str
    cells: tuple[Cell, ...]
    numbers: bool
    width: int

    @property
    def spec(self) -> str:
        """As the head of a tabular has it: numbers to the right, long texts in a box."""
        if self.numbers:
            return "r"
        longest = max((len(cell_text(cell)) for cell in self.cells), default=0)
        if longest <= self.width:
            return "l"
        return f">{{\\raggedright\\arraybackslash}}p{{{self.width / 2:g}em}}"


def latex_table(
    table: Table, caption: str, label: str, notes: Sequence[str] = (), *, keys: int = 1, place: str = "htbp"
) -> str:
    """A booktabs table with caption, label and notes; in parts where it is too wide, over pages where long.

    The first ``keys`` columns are repeated in every part. ``place`` is where LaTeX may put it.
    """
    parts = list(_parts(_columns(table), keys))
    small = "\\par\\smallskip\n\\footnotesize " + " ".join(map(latex_text, notes)) if notes else ""
    written = []
    for number, part in enumerate(parts, 1):
        named = caption if len(parts) == 1 else f"{caption} (part {number} of {len(parts)})"
        mark = label if number == 1 else f"{label}-{number}"
        title = f"\\caption{{{latex_text(named)}}}\\label{{{mark}}}"
        make = _long_table if len(table.rows) >= _LONG else _short_table
        written.append(make(part, title, small if number == len(parts) else "", place))
    return "\n".join(written)


def _columns(table: Table) -> list[_Column]:
    right = numeric_columns(table)
    columns = []
    for at, (head, numbers) in enumerate(zip(table.columns, right, strict=True)):
        cells = tuple(row[at] for row in table.rows)
        widest = max([len(head), *(len(cell_text(cell)) for cell in cells)])
        columns.append(_Column(head, cells, numbers, widest if numbers else min(widest, _WIDEST)))
    return columns


def _parts(columns: Sequence[_Column], keys: int) -> Iterator[list[_Column]]:
    """The columns in parts that fit a line; each begins with the keys."""
    first = [*columns[:keys]]
    room = max(_BESIDE_KEYS, _WIDTH - sum(column.width + _GAP for column in first))
    part: list[_Column] = []
    for column in columns[keys:]:
        taken = sum(each.width + _GAP for each in part)
        if part and taken + column.width > room:
            yield [*first, *part]
            part = []
        part.append(column)
    yield [*first, *part]


def _rows(part: Sequence[_Column]) -> list[str]:
    return [_row(map(_cell, cells)) for cells in zip(*(column.cells for column in part), strict=True)]


def _head(part: Sequence[_Column]) -> tuple[str, str]:
    """The specification of the columns, and the line of their heads."""
    return "@{}" + "".join(column.spec for column in part) + "@{}", _row(latex_text(c.head) for c in part)


def _short_table(part: Sequence[_Column], title: str, small: str, place: str) -> str:
    columns, head = _head(part)
    lines = [
        f"\\begin{{table}}[{place}]",
        "\\centering\\footnotesize\\setlength{\\tabcolsep}{4pt}",
        title,
        f"\\begin{{tabular}}{{{columns}}}",
        "\\toprule",
        head,
        "\\midrule",
        *_rows(part),
        "\\bottomrule",
        "\\end{tabular}",
        *([small] if small else []),
        "\\end{table}\n",
    ]
    return "\n".join(lines)


def _long_table(part: Sequence[_Column], title: str, small: str, _place: str) -> str:
    columns, head = _head(part)
    lines = [
        "{\\footnotesize\\setlength{\\tabcolsep}{4pt}",
        f"\\begin{{longtable}}{{{columns}}}",
        title + " \\\\",
        f"\\toprule\n{head}\n\\midrule\n\\endfirsthead",
        f"\\toprule\n{head}\n\\midrule\n\\endhead",
        "\\bottomrule\n\\endlastfoot",
        *_rows(part),
        "\\end{longtable}",
        *([f"\\noindent{small}"] if small else []),
        "}\n",
    ]
    return "\n".join(lines)


def _cell(cell: Cell) -> str:
    text = cell_text(cell)
    if not is_number(cell):
        return latex_text(one_line(text, 1000))
    return text.replace("-", "$-$").replace("<", "$<$").replace("–", "--").replace("†", "\\dag{}")


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + " \\\\"
