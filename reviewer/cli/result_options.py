"""Options of the commands that show numbers, and how their tables are printed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

import click

from reviewer.cli.options import note, table_for_stdout
from reviewer.core.sanitize import one_line, visible
from reviewer.core.table import Table
from reviewer.results.labels.dimensions import DIMENSIONS

ResultFormat = Literal["table", "csv", "json", "markdown", "latex"]

NICKNAMES = {
    "po": "po_all_agree",
    "pa": "po_pairwise",
    "kappa": "fleiss_kappa",
    "fleiss": "fleiss_kappa",
    "alpha": "krippendorff_alpha",
    "ac1": "gwet_ac1",
    "bp": "brennan_prediger",
    "conger": "conger_kappa",
    "light": "light_kappa_defined_pairs",
    "cohen": "cohen_kappa",
}


def _dimensions(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(part.strip() for part in value.split(",") if part.strip())


DEFAULT_BY = ("question", "generator")

by_option = click.option(
    "--by",
    callback=_dimensions,
    metavar="LIST",
    help=f"Divide by any of {', '.join(DIMENSIONS)} (of raters), separated by commas; '' for one row.  "
    "[default: question,generator]",
)


def _coefficients(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    names = [part.strip().lower().replace("-", "_") for value in values for part in value.split(",")]
    if "all" in names:
        from reviewer.agreement import COEFFICIENTS  # numpy takes a fifth of a second to load

        return tuple(key for key, coefficient in COEFFICIENTS.items() if not coefficient.variant)
    return tuple(dict.fromkeys(NICKNAMES.get(name, name) for name in names))


coefficient_option = click.option(
    "--coefficient",
    "coefficients",
    multiple=True,
    callback=_coefficients,
    metavar="NAME",
    help="Coefficient to show: po (share of cases on which all agree), pa (share of pairs that agree), "
    "fleiss (or kappa), alpha (Krippendorff), ac1 (Gwet), bp (Brennan-Prediger), conger, light, cohen, or "
    "all; a column's name works too. May be repeated.",
)


def interval_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--interval``, ``--seed`` and ``--resamples``."""
    for option in (
        click.option(
            "--resamples",
            type=click.IntRange(100, 1_000_000),
            default=10_000,
            show_default=True,
            help="Number of bootstrap resamples.",
        ),
        click.option(
            "--seed",
            type=click.IntRange(0, 2**63 - 1),
            help="Random seed of the bootstrap. Default: derived from the study's seed.",
        ),
        click.option(
            "--interval",
            type=click.Choice(["bootstrap", "analytic", "none"]),
            default="bootstrap",
            show_default=True,
            help="How intervals are computed: by resampling cases (bootstrap), or by formula (analytic). "
            "Shares in which each case counts once always have a Wilson interval.",
        ),
    ):
        command = option(command)
    return command


weights_option = click.option(
    "--weights",
    type=click.Choice(["quadratic", "linear"]),
    default="quadratic",
    show_default=True,
    help="Where labels have an order: disagreement grows with the number of steps between two labels "
    "(linear), or with the square of this number (quadratic). This does not change Krippendorff's alpha, "
    "which is always computed with its ordinal and its interval metric.",
)


pool_option = click.option(
    "--pool",
    "others",
    multiple=True,
    metavar="STUDY",
    help="Pool the study with this one, which must ask the same questions; may be repeated. A case "
    "of both studies counts once, and raters are named by their study.",
)


def weight_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--weights`` and ``--unweighted``, for questions whose labels have an order."""
    for option in (
        click.option(
            "--unweighted",
            is_flag=True,
            help="Where labels have an order, also show coefficients that treat any two labels as equally "
            "different.",
        ),
        weights_option,
    ):
        command = option(command)
    return command


label_rule_option = click.option(
    "--rule",
    type=click.Choice(["majority", "median"]),
    default="majority",
    show_default=True,
    help="How a label follows from the votes if nobody adjudicated. The median needs a question whose labels "
    "have an order; a case stays undecided if the median falls between two labels.",
)

digits_option = click.option(
    "--digits",
    type=click.IntRange(1, 8),
    default=2,
    show_default=True,
    help="Number of decimals in tables for people, rounded half up. CSV and JSON always have 15 significant "
    "digits.",
)


def _level(_ctx: click.Context, _param: click.Parameter, value: float) -> float:
    if not 0 < value < 1:
        raise click.BadParameter(f"a confidence level lies between 0 and 1 (such as .95), not at {value:g}")
    return value


level_option = click.option(
    "--level",
    type=float,
    default=0.95,
    show_default=True,
    callback=_level,
    help="Confidence level of the intervals.",
)

legend_option = click.option("--legend", is_flag=True, help="Also print the meaning of each column.")

result_format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "json", "markdown", "latex"]),
    default="table",
    show_default=True,
    help="Output format: a table for people, CSV or JSON for programs, Markdown or LaTeX (booktabs) for a "
    "paper.",
)


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

        below = [*printed.notes, *filter(None, [printed.legend])]
        click.echo("% needs the packages array, booktabs, longtable and textcomp")
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
