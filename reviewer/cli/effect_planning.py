"""Options and tables of ``reviewer effects`` that say how many cases an evaluation needs."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from reviewer.agreement.clustered_planning import (
    cases_for_difference,
    cases_for_half_width,
    variance_at_hand,
    variance_of_a_case,
    variance_of_difference,
)
from reviewer.agreement.clustered_ratios import Bools
from reviewer.cli.result_options import Printed
from reviewer.core.errors import RequestError
from reviewer.core.number_text import percent
from reviewer.results.outcomes.contrasts import Contrasted, contrast_table
from reviewer.results.outcomes.divisions import MODEL
from reviewer.results.outcomes.effect_rows import ErrorMethod
from reviewer.results.outcomes.effects import effect_table
from reviewer.results.outcomes.evaluated import Evaluation
from reviewer.results.tables.contrast_tables import CASE_NEEDS, CaseNeed

_NO_ERROR = "the data at hand give no error above 0"


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


def planned_from_options(
    share: float | None,
    repeats: int,
    design_effect: float | None,
    correlation: float,
    half_width: float | None,
    to_find: float | None,
    power: float,
    level: float,
) -> Printed:
    """A plan without data; raises RequestError for what cannot be, or if too little is given."""
    if share is None or (half_width is None and to_find is None):
        raise RequestError("name a RUN; or plan one with --share and one of --half-width and --to-find.")
    try:
        variance = variance_of_a_case(share, repeats, design_effect or repeats)
        needs = []
        if half_width is not None:
            cases = cases_for_half_width(variance, half_width, level)
            needs.append(CaseNeed("share", share, None, _of_width(half_width, level), cases))
        if to_find is not None:
            other = variance_of_a_case(share + to_find, repeats, design_effect or repeats)
            both = variance_of_difference(variance, other, correlation)
            cases = cases_for_difference(both, to_find, power, level)
            needs.append(CaseNeed("share", share, None, _of_difference(to_find, power), cases))
    except ValueError as error:
        raise RequestError(f"{error}.") from None
    return _printed(needs)


def planned_from_run(
    evaluation: Evaluation,
    chosen: Bools,
    measures: Sequence[str],
    half_width: float | None,
    to_find: float | None,
    power: float,
    level: float,
) -> Printed:
    """A plan from the outcomes of a run: model by model for intervals, pair by pair for differences."""
    method = ErrorMethod("linearised", level)
    try:
        needs: list[CaseNeed] = []
        if half_width is not None:
            needs += _for_widths(evaluation, chosen, measures, half_width, method)
        if to_find is not None:
            needs += _for_differences(evaluation, chosen, measures, to_find, power, method)
    except ValueError as error:
        raise RequestError(f"{error}.") from None
    return _printed(needs)


def _for_widths(
    evaluation: Evaluation, chosen: Bools, measures: Sequence[str], half_width: float, method: ErrorMethod
) -> Iterator[CaseNeed]:
    table = effect_table(evaluation, by=(MODEL,), measures=measures, among=chosen, method=method)
    for row in table.rows:
        for effect in row.effects.values():
            variance = variance_at_hand(effect.linearised)
            yield CaseNeed(
                f"{effect.measure.title}, {row.where[MODEL]}",
                effect.linearised.value,
                effect.linearised.n,
                _of_width(half_width, method.level),
                cases_for_half_width(variance, half_width, method.level) if variance else None,
                "" if variance else effect.linearised.reason or _NO_ERROR,
            )


def _for_differences(
    evaluation: Evaluation,
    chosen: Bools,
    measures: Sequence[str],
    to_find: float,
    power: float,
    method: ErrorMethod,
) -> Iterator[CaseNeed]:
    """Every two models of the run, by how their decisions on the same cases differ."""
    models = evaluation.models
    if len(models) < 2:
        raise RequestError("a difference between two models needs a run with two models; or leave RUN out.")
    for place, first in enumerate(models):
        for second in models[place + 1 :]:
            pair = Contrasted(MODEL, first, second)
            rows = contrast_table(evaluation, pair, measures=measures, among=chosen, method=method)
            for row in rows:
                variance = variance_at_hand(row.estimate)
                yield CaseNeed(
                    f"{row.measure.title}, {first} minus {second}",
                    row.estimate.value,
                    row.estimate.n,
                    _of_difference(to_find, power),
                    cases_for_difference(variance, to_find, power, method.level) if variance else None,
                    "" if variance else row.estimate.reason or _NO_ERROR,
                )


def _of_width(half_width: float, level: float) -> str:
    return f"half-width {half_width:g} at {percent(level, None)}"


def _of_difference(difference: float, power: float) -> str:
    return f"difference {difference:g} with power {power:g}"


def _printed(needs: Sequence[CaseNeed]) -> Printed:
    shown = CASE_NEEDS.for_people(needs, 3)
    notes = [
        "The numbers keep the repeats of each case as they are; more repeats of the same cases add little."
    ]
    return Printed(CASE_NEEDS.for_programs(needs), shown, [shown], notes, "Cases that are needed", keys=1)
