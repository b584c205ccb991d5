"""Options of the commands that show numbers, and how their tables are printed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import click

from reviewer.cli.options import note, table_for_stdout
from reviewer.core.sanitize import one_line, visible
from reviewer.core.table import Table
from reviewer.options.result_options import ResultFormat

DEFAULT_BY = ("question", "generator")


@dataclass(frozen=True)
class Printed:
    """A table for machines, the same for a page and for a terminal, and what to say about it.

    ``notes`` belong to the table; ``remarks`` are about single rows.
    """

    machine: Table
    page: Table
    terminal: Sequence[Table]
    notes: Sequence[str]
    caption: str
    remarks: Sequence[str] = ()
    keys: int = 1
    """How many columns of the page's table say what a row is about."""
    terminal_notes: Sequence[str] = ()
    """Notes for a terminal, where its heads differ from those of a page."""
    more_pages: Sequence[Table] = ()
    """Further tables of a page."""
    legend: str = ""
    """The meanings of heads: for those who ask for it, and always below a table in LaTeX."""


def print_tables(form: ResultFormat, printed: Printed, label: str, *, legend: bool = False) -> None:
    """Print what the format asks for to stdout; what there is to say comes on stderr, or with the LaTeX."""
    if form == "csv":
        click.echo(printed.machine.to_csv(), nl=False)
    elif form == "json":
        click.echo(printed.machine.to_json(), nl=False)
    elif form == "latex":
        from reviewer.report.pages import latex_table  # templates of pages load only for pages

        click.echo("% needs the packages array, booktabs, longtable and textcomp")
        below = [*printed.notes, *filter(None, [printed.legend])]
        tables = [
            latex_table(page, printed.caption, name, below, keys=printed.keys)
            for page, name in zip((printed.page, *printed.more_pages), _labels(label), strict=False)
        ]
        click.echo(
            "\n".join(tables) + "".join(f"% {one_line(remark, 1000)}\n" for remark in printed.remarks),
            nl=False,
        )
    elif form == "markdown":
        from reviewer.report.pages import markdown_table

        click.echo("\n".join(map(markdown_table, (printed.page, *printed.more_pages))), nl=False)
    else:
        click.echo("\n\n".join(map(table_for_stdout, printed.terminal)))
    if form in ("table", "markdown"):
        notes = (form == "table" and printed.terminal_notes) or printed.notes
        explained = [printed.legend] if legend and printed.legend else []
        for sentence in (*explained, *notes, *printed.remarks):
            note(visible(sentence))


def _labels(label: str) -> Iterator[str]:
    """The labels of tables in LaTeX; those after the first have a number."""
    yield f"tab:{_plain(label)}"
    yield from (f"tab:{_plain(label)}-{number}" for number in count(2))


def _plain(label: str) -> str:
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in label)
