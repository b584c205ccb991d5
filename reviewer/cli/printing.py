"""How commands print: tables to standard output; notes and progress bars for a person to standard error."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from reviewer.core.table import RowType, Table, TableSpec
    from reviewer.options.result_options import Digits, ResultFormat
    from reviewer.options.shared import Format

_NARROWEST = 20
Advance = Callable[[str, int, int], None]
"""Called with (what is being done, done, total)."""

NO_SEAL = (
    "No seal covers these files: anybody who has them can change them, and no command finds it. "
    "`reviewer release make` writes labels with a seal."
)
"""What exports say of themselves last."""


def note(*sentences: str) -> None:
    """Say something to the person at the keyboard: on stderr, so that machine output stays clean.

    Controls in texts from outside become visible.
    """
    from reviewer.core.sanitize import visible

    for sentence in sentences:
        click.echo(visible(sentence), err=True)


def print_text(text: str) -> None:
    """Print a whole file to stdout: as it is, or to a terminal with everything visible that it would obey."""
    from reviewer.core.sanitize import visible

    click.echo(visible(text) if sys.stdout.isatty() else text, nl=False)


def print_wrapped(text: str) -> None:
    """Print text to stdout; in a terminal, lines break between words, and go on below their beginning."""
    if sys.stdout.isatty():
        width = max(_NARROWEST, os.get_terminal_size(sys.stdout.fileno()).columns)
        text = "\n".join(_wrapped(line, width) for line in text.split("\n"))
    click.echo(text)


def _wrapped(line: str, width: int) -> str:
    from textwrap import fill

    indent = " " * (len(line) - len(line.lstrip(" ")))
    return fill(
        line,
        width,
        subsequent_indent=indent,
        replace_whitespace=False,
        break_long_words=False,
        break_on_hyphens=False,
    )


def print_table(table: "Table", form: "Format") -> None:
    """Print a table to stdout in the format asked for."""
    if form == "csv":
        click.echo(table.to_csv(), nl=False)
    elif form == "json":
        click.echo(table.to_json(), nl=False)
    else:
        click.echo(table_for_stdout(table))


def print_rows(spec: "TableSpec[RowType]", rows: "Sequence[RowType]", form: "Format") -> None:
    """Print the rows of a declared table, for people or for programs."""
    print_table(spec.for_people(rows) if form == "table" else spec.for_programs(rows), form)


def table_for_stdout(table: "Table") -> str:
    """The table as text: cut to fit a terminal, whole where something else reads it."""
    from reviewer.report.text_table import text_table

    return text_table(table) if sys.stdout.isatty() else text_table(table, None)


class Printed(NamedTuple):
    """A table for machines, the same for a page and for a terminal, and notes on it.

    ``machine`` makes its table when CSV or JSON is asked for. ``notes`` belong to the table; ``remarks`` are
    about single rows.
    """

    machine: Callable[[], "Table"]
    page: "Table"
    terminal: Sequence["Table"]
    notes: Sequence[str]
    caption: str
    remarks: Sequence[str] = ()
    keys: int = 1
    """The number of columns of the page's table that identify a row."""
    terminal_notes: Sequence[str] = ()
    """Notes for a terminal, where its heads differ from those of a page."""
    more_pages: Sequence["Table"] = ()
    """Further tables of a page."""
    legend: Callable[[], str] = str
    """Gives the meanings of heads: to those who ask for it, and always below a table in LaTeX."""

    def unless_empty(self) -> "Printed":
        """The same; for people without a table that has no rows, since remarks say why."""
        return self if self.page.rows else self._replace(terminal=(), notes=(), terminal_notes=())


def declared_tables(
    spec: "TableSpec[RowType]",
    rows: "Sequence[RowType]",
    caption: str,
    options: "Digits",
    notes: Sequence[str] = (),
) -> Printed:
    """A declared table as it is, with ``notes`` behind its legend."""
    table = spec.for_people(rows, options.digits)
    legend = spec.legend(rows) if rows else ""
    below = [note for note in (legend, *notes) if note]
    return Printed(partial(spec.for_programs, rows), table, [table], below, caption, keys=spec.keys)


def print_tables(form: "ResultFormat", printed: Printed, label: str, *, legend: bool = False) -> None:
    """Print what the format asks for to stdout; what there is to say comes on stderr, or with the LaTeX."""
    from reviewer.core.sanitize import one_line

    if form == "csv":
        click.echo(printed.machine().to_csv(), nl=False)
    elif form == "json":
        click.echo(printed.machine().to_json(), nl=False)
    elif form == "latex":
        from reviewer.report.report_pages import latex_table  # templates of pages load only for pages

        click.echo("% needs the packages array, booktabs, longtable and textcomp")
        below = [*printed.notes, *filter(None, [printed.legend()])]
        tables = [
            latex_table(page, printed.caption, name, below, keys=printed.keys)
            for page, name in zip((printed.page, *printed.more_pages), _labels(label), strict=False)
        ]
        click.echo(
            "\n".join(tables) + "".join(f"% {one_line(remark, 1000)}\n" for remark in printed.remarks),
            nl=False,
        )
    elif form == "markdown":
        from reviewer.report.report_pages import markdown_table

        click.echo("\n".join(map(markdown_table, (printed.page, *printed.more_pages))), nl=False)
    elif printed.terminal:
        click.echo("\n\n".join(map(table_for_stdout, printed.terminal)))
    if form in ("table", "markdown"):
        notes = (form == "table" and printed.terminal_notes) or printed.notes
        explained = filter(None, [printed.legend()] if legend else [])
        note(*explained, *notes, *printed.remarks)


def _labels(label: str) -> Iterator[str]:
    """The labels of tables in LaTeX; those after the first have a number."""
    yield f"tab:{_plain(label)}"
    yield from (f"tab:{_plain(label)}-{number}" for number in count(2))


def _plain(label: str) -> str:
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in label)


@contextmanager
def progress_bars(least: int = 0) -> Iterator[Advance | None]:
    """One bar for each thing that is being done, opened at its first step, if it has over ``least`` steps."""
    if not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as stack:
        bars: dict[str, Any] = {}

        def advance(label: str, done: int, total: int) -> None:
            if total <= least:
                return
            if label not in bars:
                stack.close()
                bars[label] = stack.enter_context(
                    click.progressbar(length=total, label=label, file=sys.stderr)
                )
            bars[label].update(done - bars[label].pos)

        yield advance
