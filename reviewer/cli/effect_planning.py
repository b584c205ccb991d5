"""Options of ``reviewer effects`` that ask how many cases an evaluation needs, and their table."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reviewer.cli.result_options import Printed
    from reviewer.results.outcomes.case_needs import CaseNeed


def planning_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a plan."""
    for option in (
        click.option(
            "--power", type=float, default=0.8, show_default=True, help="With --to-find: the wanted power."
        ),
        click.option(
            "--correlation",
            type=float,
            default=0.0,
            show_default=True,
            help="With --to-find and without RUN: correlation of two models over cases.",
        ),
        click.option(
            "--design-effect",
            type=float,
            help="Without RUN: the factor by which the variance is expected to exceed that of independent "
            "runs. Default: the number of repeats, which assumes that repeats tell nothing new.",
        ),
        click.option(
            "--repeats",
            type=click.IntRange(1),
            default=5,
            show_default=True,
            help="Without RUN: runs of each case.",
        ),
        click.option("--share", type=float, help="Without RUN: the expected value of the measure."),
        click.option(
            "--to-find",
            type=float,
            metavar="DIFFERENCE",
            help="Show how many cases find this difference between two models.",
        ),
        click.option(
            "--half-width", type=float, help="Show how many cases bring the intervals to this half-width."
        ),
    ):
        command = option(command)
    return command


def printed_needs(needs: "Sequence[CaseNeed]") -> "Printed":
    """The cases that measures need, as a table."""
    from reviewer.cli.result_options import Printed
    from reviewer.results.tables.contrast_tables import CASE_NEEDS

    shown = CASE_NEEDS.for_people(needs, 3)
    notes = [
        "The numbers keep the repeats of each case as they are; more repeats of the same cases add little."
    ]
    return Printed(CASE_NEEDS.for_programs(needs), shown, [shown], notes, "Cases that are needed", keys=1)
