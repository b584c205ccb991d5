"""A report with its figures, or one of its tables, as HTML, Markdown or LaTeX.

The words stand in ``templates``.
"""

import base64
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from reviewer.core.errors import RequestError
from reviewer.core.page_templates import (
    DELIMITERS_FOR_TEX,
    Templates,
    html_text,
    inline,
    latex_text,
    markdown_code,
    markdown_text,
)
from reviewer.core.sanitize import one_line, visible
from reviewer.core.table import Cell, Table
from reviewer.report import document as blocks
from reviewer.report.document import Document, Numbers
from reviewer.report.text_table import cell_text, is_number, numeric_columns

CLAIMS_FILE = "claims.toml"
"""The numbers of the tables, each with the command that gives it."""
_INSTALL = "pip install 'dilemma-reviewer[figures]'"

Figures = Mapping[str, Mapping[str, bytes]]
"""Every figure by name and format."""

_LONG = 28
"""Rows from which on a table may break across pages."""
_WIDTH = 116
"""Digits of a line: 164 mm in footnotesize. Widths only decide where to split; a text column that is wide for
its part breaks its lines."""
_NARROW = frozenset(".,:;'|[]()†° ")
"""Characters that are little more than half as wide as a digit, which is half an em."""
_GAP = 2
"""Space between two columns, in digits."""
_WIDEST = 34
"""Digits of a text column; longer texts break."""
_BESIDE_KEYS = 20
"""Digits that a part has for values at least, however wide its keys are."""


@dataclass(frozen=True)
class LatexColumn:
    """A column: its head, its cells, whether they are numbers, and its width in digits."""

    head: str
    cells: tuple[Cell, ...]
    numbers: bool
    width: int

    @property
    def fits(self) -> bool:
        """Whether each cell fits a line; otherwise the column is a box whose lines break."""
        return max((_digits_wide(cell_text(cell)) for cell in self.cells), default=0) <= self.width

    @property
    def ems(self) -> str:
        """The width of the box."""
        return f"{self.width / 2:g}"


@dataclass(frozen=True)
class TablePart:
    """What stands side by side; the notes stand under the last part. A ``long`` one breaks across pages."""

    columns: tuple[LatexColumn, ...]
    caption: str
    label: str
    notes: tuple[str, ...]
    long: bool

    @property
    def rows(self) -> Iterator[tuple[Cell, ...]]:
        """The cells, row by row."""
        return zip(*(column.cells for column in self.columns), strict=True)


def parts_of(table: Table, caption: str, label: str, notes: Sequence[str], keys: int) -> list[TablePart]:
    """The table in parts that fit the page; each begins with the first ``keys`` columns."""
    parts = list(_parts(_columns(table), keys))
    count = len(parts)
    return [
        TablePart(
            tuple(columns),
            caption if count == 1 else f"{caption} (part {number} of {count})",
            label if number == 1 else f"{label}-{number}",
            tuple(notes) if number == count else (),
            len(table.rows) >= _LONG,
        )
        for number, columns in enumerate(parts, 1)
    ]


def _digits_wide(text: str) -> int:
    """How many digits are about as wide as this text."""
    narrow = sum(letter in _NARROW for letter in text)
    return len(text) - narrow + (5 * narrow + 8) // 9


def _columns(table: Table) -> list[LatexColumn]:
    right = numeric_columns(table)
    columns = []
    for at, (head, numbers) in enumerate(zip(table.columns, right, strict=True)):
        cells = tuple(row[at] for row in table.rows)
        widest = max(_digits_wide(text) for text in (head, *map(cell_text, cells)))
        columns.append(LatexColumn(head, cells, numbers, widest if numbers else min(widest, _WIDEST)))
    return columns


def _parts(columns: Sequence[LatexColumn], keys: int) -> Iterator[list[LatexColumn]]:
    """The columns in parts that fit a line; each begins with the keys."""
    first = [*columns[:keys]]
    room = max(_BESIDE_KEYS, _WIDTH - sum(column.width + _GAP for column in first))
    part: list[LatexColumn] = []
    for column in columns[keys:]:
        taken = sum(placed.width + _GAP for placed in part)
        if part and taken + column.width > room:
            yield [*first, *part]
            part = []
        part.append(column)
    yield [*first, *part]


_KINDS: Mapping[str, type] = {
    kind.__name__.lower(): kind
    for kind in (
        *(blocks.Appendices, blocks.Section, blocks.Paragraph, blocks.Points, blocks.Box, blocks.Facts),
        *(blocks.Quote, blocks.Numbers, blocks.Picture, blocks.Votes, blocks.Commands, blocks.Command),
    )
}
_NAME = re.compile(r"[A-Za-z0-9:-]+")


def page_files(document: Document, figures: Figures) -> dict[str, str | bytes]:
    """A report in three formats with its figures, by their paths in the report's folder."""
    names = frozenset(figures)
    files: dict[str, str | bytes] = {
        "report.html": html_page(document, {name: formats["svg"] for name, formats in figures.items()}),
        "report.md": markdown_page(document, names),
        "report.tex": latex_page(document, names),
    }
    for name, formats in figures.items():
        files |= {f"figures/{name}.{form}": content for form, content in formats.items()}
    return files


def drawn(draw: Callable[[], Figures]) -> Figures:
    """The figures that a function draws; raises RequestError where matplotlib is missing."""
    try:
        return draw()
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("matplotlib"):
            raise
        raise RequestError(
            f"figures need matplotlib, which is not installed; run {_INSTALL}, or add --no-figures."
        ) from error


def html_page(document: Document, figures: Mapping[str, bytes]) -> str:
    """One self-contained page: style and figures inside, no script, nothing fetched.

    ``figures`` holds the SVG of each figure by its name; pictures that are not among them are left out.
    """
    return _html().render(
        "report.html", document=document, blocks=document.visible(frozenset(figures)), figures=figures
    )


def markdown_page(document: Document, figures: frozenset[str]) -> str:
    """GitHub's Markdown, its figures beside it; pictures that are not among them are left out."""
    return _markdown().render("report.md", document=document, blocks=document.visible(figures))


def latex_page(document: Document, figures: frozenset[str]) -> str:
    """LaTeX for any of the engines, its figures beside it; pictures that are not among them are left out."""
    return _latex().render("report.tex", document=document, blocks=document.visible(figures))


def markdown_table(table: Table) -> str:
    """A table of GitHub's Markdown, numbers to the right."""
    return _markdown().render("table.md", table=table)


def latex_table(
    table: Table, caption: str, label: str, notes: Sequence[str] = (), *, keys: int = 1, place: str = "htbp"
) -> str:
    """A booktabs table with caption, label and notes; in parts where it is too wide, over pages where long.

    The first ``keys`` columns are repeated in every part. ``place`` is where LaTeX may put it.
    """
    return _latex().render("table.tex", parts=parts_of(table, caption, label, notes, keys), place=place)


@cache
def _html() -> Templates:
    writers = {"cell": _html_cell, "base64": lambda data: base64.b64encode(data).decode("ascii")}
    return _templates(html_text, writers)


@cache
def _markdown() -> Templates:
    writers = {
        "cell": _markdown_cell,
        "text": markdown_text,
        "inline": lambda text: inline(text, markdown_text),
        "code": markdown_code,
        "indented": lambda line: " ".join(visible(line).split("\n")),
        "name": _name,
    }
    return _templates(markdown_text, writers)


@cache
def _latex() -> Templates:
    writers: Mapping[str, Callable[[Any], str]] = {
        "cell": _latex_cell,
        "inline": lambda text: inline(text, latex_text),
        "name": _name,
    }
    parts: Mapping[str, Callable[[Numbers], list[TablePart]]] = {
        "parts": lambda one: parts_of(one.table, one.caption, f"tab:{one.name}", one.notes, one.keys)
    }
    return _templates(latex_text, writers, parts, DELIMITERS_FOR_TEX)


def _templates(
    escape: Callable[[str], str],
    writers: Mapping[str, Callable[[Any], str]],
    filters: Mapping[str, Callable[[Any], Any]] | None = None,
    delimiters: Mapping[str, Any] | None = None,
) -> Templates:
    return Templates(
        "reviewer.report",
        escape,
        writers=writers,
        filters={"numeric": numeric_columns, **(filters or {})},
        kinds=_KINDS,
        delimiters=delimiters,
    )


def _name(name: str) -> str:
    """A name of our own for a file or label, in which nothing needs escaping; raises ValueError."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a name of letters, digits, hyphens and colons")
    return name


def _html_cell(cell: Cell) -> str:
    text = html_text(cell_text(cell))
    if not is_number(cell):
        return text
    # On paper a line may break before an interval, and nowhere else in a number.
    value, bracket, ends = text.replace("-", "−").partition(" [")
    return f"{value} <span class=ends>[{ends}</span>" if bracket else value


def _markdown_cell(cell: Cell) -> str:
    return cell_text(cell) if is_number(cell) else markdown_text(cell_text(cell))


def _latex_cell(cell: Cell) -> str:
    text = cell_text(cell)
    if not is_number(cell):
        return latex_text(one_line(text, 1000))
    return text.replace("-", "$-$").replace("<", "$<$").replace("–", "--").replace("†", "\\dag{}")
