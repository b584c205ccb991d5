"""Effects of evaluated models: a line for each measure for programs, a line for each row for people.

Also two parts of outcomes compared, and how many cases an evaluation needs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from reviewer.core.estimate import Estimate
from reviewer.core.number_text import all_digits, short_number, sum_text
from reviewer.core.table import (
    RATE_PARTS,
    Column,
    TableSpec,
    estimate_column,
    number_column,
    p_column,
    plain_column,
)
from reviewer.protocols.evaluation import Measure
from reviewer.results.outcomes.contrasts import EffectContrast
from reviewer.results.outcomes.effect_estimates import AMONG
from reviewer.results.outcomes.effect_rows import COIN, Effect, EffectRow, EffectTable, clusters_in_words

if TYPE_CHECKING:
    from reviewer.results.outcomes.case_needs import CaseNeed


_PARTS = (*RATE_PARTS[:-1], "se", "undefined_resamples", "undefined")
_RESAMPLED = "cases, or of what intervals resample (families, questions, runs)"
_WITH_INTERVALS = 3
"""People see the intervals of every measure in a table of at most this number, else those of the first
two."""


@dataclass(frozen=True, slots=True)
class EffectLine:
    """One measure in one row, with the choice of cases that the row is over."""

    row: EffectRow
    effect: Effect
    among: str

    @property
    def where(self) -> Mapping[str, str]:
        """The labels of the row."""
        return self.row.where


def effect_lines(table: EffectTable, among: str) -> list[EffectLine]:
    """Every measure of every row; rows of a ladder name their own choice of cases."""
    return [
        EffectLine(row, effect, row.where.get(AMONG, among))
        for row in table.rows
        for effect in row.effects.values()
    ]


def effects_spec(table: EffectTable) -> TableSpec[EffectLine]:
    """The table ``effects``: all that is known, a line for each row and measure."""
    nulls = dict.fromkeys(
        key for row in table.rows for effect in row.effects.values() for key in effect.nulls
    )
    return TableSpec(
        (
            _text(AMONG, "over which cases: all, or a choice of them", lambda line: line.among),
            *(_label(name) for name in table.by if name != AMONG),
            *_MEASURED,
            *(_null(key) for key in nulls),
            _COIN_IS_ZERO,
            *_compared(table.compared),
        ),
        0,
    )


def _compared(among: str) -> Iterator[Column[EffectLine]]:
    """The measure over the cases that a choice is compared with, if it is."""
    if among:
        over = f"over {among}"
        yield number_column("compared_value", f"the measure {over}", lambda line: line.effect.compared)
        yield number_column("moved", f"value minus the measure {over}", lambda line: line.effect.moved)


def effects_grid(
    table: EffectTable, answerers: Mapping[str, str] = MappingProxyType({})
) -> TableSpec[EffectRow]:
    """What people see: a line for each row with all its measures.

    A single measure stands beside its values for those who answer without reading: ``answerers`` has their
    titles by key.
    """
    alone = len(table.measures) == 1 and bool(answerers)
    few = len(table.measures) <= _WITH_INTERVALS
    counting = (measure.key for measure in table.measures if measure.unread_as is None)
    unread = next(counting, table.measures[0].key)  # the others count unreadable replies as labels
    first = table.measures[0].key
    columns: list[Column[EffectRow]] = [
        *(_row_label(name) for name in table.by),
        _cases(first, "cases behind the value"),
    ]
    for number, measure in enumerate(table.measures):
        columns.append(_of_measure(measure.key, measure.title, measure.meaning, few or number < 2))
        if any(row.effects[measure.key].cases != row.effects[first].cases for row in table.rows):
            columns.append(_cases(measure.key, "cases behind the value to its left"))
        if table.compared and (few or number < 2):
            columns.append(_moved(measure.key, table.compared))
        if alone:
            columns += [_unread_null(measure.key, key, title) for key, title in answerers.items()]
        elif any(row.effects[measure.key].shifted_coin is not None for row in table.rows):
            columns.append(_coin(measure.key))
        if measure.least < 0 and any(
            row.effects[measure.key].estimate.value is not None for row in table.rows
        ):
            columns += _directions(measure)
    columns += [
        estimate_column(
            "noise",
            "noise",
            lambda row: row.noise,
            "noise",
            interval=False,
            told="how often two runs of one text differ",
        ),
        *_behind_noise(table, first),
        plain_column(
            "unreadable",
            "integer",
            "unreadable",
            lambda row: row.effects[unread].unread,
            "unread.",
            told="comparisons with an unreadable reply",
        ),
    ]
    return TableSpec(tuple(columns), len(table.by))


def _cases(key: str, told: str) -> Column[EffectRow]:
    """How many cases entered a measure: as many as have a comparison that can be judged."""
    return plain_column(f"{key}_n", "integer", told, lambda row: row.effects[key].cases, "n", told=told)


def _behind_noise(table: EffectTable, first: str) -> Iterator[Column[EffectRow]]:
    """What the noise rests on, where that is another number than that of the first measure."""
    known = [row for row in table.rows if row.noise.value is not None]
    if any(row.noise.n != row.effects[first].estimate.n for row in known):
        units = "cases" if table.clusters == "none" else clusters_in_words(table.clusters)
        told = f"{units} behind the noise"
        yield plain_column("noise_n", "integer", told, lambda row: row.noise.n, "n", told=told)


def _of_measure(key: str, title: str, meaning: str, interval: bool) -> Column[EffectRow]:
    return estimate_column(
        key,
        title,
        lambda row: row.effects[key].estimate,
        title,
        interval=interval,
        told=meaning[:1].lower() + meaning[1:].rstrip("."),
    )


def _coin(key: str) -> Column[EffectRow]:
    """What a coin scores in the measure before it, in the rows in which that is not 0."""
    return number_column(
        f"{key}_coin",
        "coin",
        lambda row: row.effects[key].shifted_coin,
        "coin",
        told="score of a coin where it is not 0; compare the score to its left with it",
        text=_finer,
    )


def _unread_null(measure: str, answerer: str, title: str) -> Column[EffectRow]:
    """What somebody reaches in a measure who answers without reading."""
    return number_column(
        f"{measure}_{answerer}",
        title,
        lambda row: row.effects[measure].nulls.get(answerer),
        answerer.replace("_", " "),
        told=f"the exact value for {title if answerer == COIN else f'“{title}”'}",
        text=_finer,
    )


def _moved(key: str, compared: str) -> Column[EffectRow]:
    """How far the measure before it moves by leaving cases out."""
    return number_column(
        f"{key}_moved",
        "moved",
        lambda row: row.effects[key].moved,
        "moved",
        told=f"the value to its left minus the value over {compared}",
        text=_signed,
    )


def _finer(value: float, digits: int) -> str:
    """One decimal more than usual, since most of these numbers are small."""
    return short_number(value, digits + 1)


def _signed(value: float, digits: int) -> str:
    text = _finer(value, digits)
    return f"+{text}" if value > 0 and float(text) else text


def _directions(measure: Measure) -> Iterator[Column[EffectRow]]:
    key, (forward, back) = measure.key, measure.directions
    once = " in which a cluster of cases counts once" if measure.test == "exact" else ""
    yield _arrow("→", forward, lambda row: row.effects[key].forward)
    yield _arrow("←", back, lambda row: row.effects[key].backward)
    told = f"{measure.test} test of no effect{once}, after Holm's correction over the table"
    yield p_column("p_holm", "p", lambda row: row.effects[key].holm, "p", told=told)


def _arrow(head: str, told: str, of: Callable[[EffectRow], float]) -> Column[EffectRow]:
    return plain_column(
        head, "number", told, of, head, told=told, shown=lambda row, _digits: sum_text(of(row))
    )


def _row_label(name: str) -> Column[EffectRow]:
    return plain_column(name, "string", name, lambda row: row.where[name], name.replace("_", " "))


def _label(name: str) -> Column[EffectLine]:
    return _text(name, f"{name.replace('_', ' ')} of the row", lambda line: line.where[name])


def _text(name: str, meaning: str, of: Callable[[EffectLine], str]) -> Column[EffectLine]:
    return plain_column(name, "string", meaning, of)


def _count(name: str, meaning: str, of: Callable[[EffectLine], int]) -> Column[EffectLine]:
    return plain_column(name, "integer", meaning, of)


def _repeated(name: str, meaning: str, of: Callable[[EffectRow], Estimate]) -> Column[EffectLine]:
    return estimate_column(name, meaning, lambda line: of(line.row), parts=_PARTS, units=_RESAMPLED)


def _null(key: str) -> Column[EffectLine]:
    who = "a coin" if key == "coin" else f"the constant answerer {key!r}"
    return number_column(f"null_{key}", f"the measure for {who}", lambda line: line.effect.nulls.get(key))


_MEASURED: tuple[Column[EffectLine], ...] = (
    _text("measure", "key of the measure", lambda line: line.effect.measure.key),
    _count("cases", "cases of the row", lambda line: line.row.cases),
    _count("cases_measured", "cases behind the value", lambda line: line.effect.cases),
    _count("runs", "comparisons of runs behind the value", lambda line: line.effect.runs),
    _count(
        "unreadable",
        "comparisons that an unreadable reply keeps out of the value",
        lambda line: line.effect.unreadable,
    ),
    _count(
        "assumed",
        "comparisons with an unreadable reply that the value counts as an answer",
        lambda line: line.effect.estimate.assumed,
    ),
    _count(
        "absent",
        "comparisons with a reply that is missing or not asked for",
        lambda line: line.effect.absent,
    ),
    estimate_column(
        "value", "the measure", lambda line: line.effect.estimate, parts=_PARTS, units=_RESAMPLED
    ),
    number_column(
        "lower_bound",
        "value if every unreadable reply lowered it most",
        lambda line: line.effect.bounds[0],
    ),
    number_column(
        "upper_bound",
        "value if every unreadable reply raised it most",
        lambda line: line.effect.bounds[1],
    ),
    number_column(
        "linearised_se", "standard error by formula over clusters", lambda line: line.effect.linearised.se
    ),
    number_column(
        "se_of_runs",
        "standard error if all runs were independent",
        lambda line: line.effect.error_of_runs,
    ),
    number_column(
        "design_effect", "square of linearised_se / se_of_runs", lambda line: line.effect.design_effect
    ),
    number_column(
        "forward", "sum over runs above 0, such as from right to wrong", lambda line: line.effect.forward
    ),
    number_column(
        "backward",
        "sum over runs below 0, such as from wrong to right",
        lambda line: line.effect.backward,
    ),
    number_column(
        "z",
        "clustered test of no effect (Durkalski et al. 2003); none for an exact test",
        lambda line: line.effect.test.z,
    ),
    number_column("p", "two-sided p of the test", lambda line: line.effect.test.p),
    number_column("p_holm", "p after Holm's correction over the table", lambda line: line.effect.holm),
    _repeated("noise", "share of pairs of runs of one text that differ", lambda row: row.noise),
    _repeated("cross", "share of pairs of runs of the compared texts that differ", lambda row: row.cross),
    _repeated(
        "above_noise",
        "how far cross lies above noise over the cases that have both",
        lambda row: row.above_noise,
    ),
)

_COIN_IS_ZERO: Column[EffectLine] = plain_column(
    "coin_is_zero",
    "boolean",
    "false: a coin does not score 0 here, so compare the value with null_coin, not with 0; empty for "
    "measures without a sign",
    lambda line: line.effect.shifted_coin is None if line.effect.measure.least < 0 else None,
)


_CONTRAST_PARTS = (*RATE_PARTS[:-1], "se", "undefined")


def contrasts_spec(by: Sequence[str]) -> TableSpec[EffectContrast]:
    """The table of differences: a line for each row, measure and way of computing."""
    columns: list[Column[EffectContrast]] = [
        *(_contrast_label(name) for name in by),
        plain_column(
            "measure",
            "string",
            "key of the measure",
            lambda row: row.measure.key,
            "measure",
            shown=lambda row, _digits: row.measure.title,
        ),
        plain_column(
            "way",
            "string",
            "as it is, standardised to one mix of cases, or as the mean of models",
            lambda row: row.way,
            "way",
            told="as it is, standardised to one mix of cases, or (as published) the mean of models",
        ),
        estimate_column(
            "difference",
            "first minus second",
            lambda row: row.estimate,
            "difference",
            parts=_CONTRAST_PARTS,
            units="cases, or of what intervals resample (families, questions; for a mean of models: models)",
        ),
        number_column("t", "Student's t of the difference", lambda row: row.test.z),
        number_column("p", "two-sided p of the test", lambda row: row.test.p),
        p_column(
            "p_holm",
            "p after Holm's correction over the rows of the same way",
            lambda row: row.holm,
            "p",
            told="Student's t, after Holm's correction over the rows of the same way",
        ),
        plain_column(
            "left_out",
            "string",
            "labels of the mix that only one side has, which are left out",
            lambda row: ", ".join(row.left_out) or None,
        ),
    ]
    return TableSpec(tuple(columns), len(by) + 2)


def _contrast_label(name: str) -> Column[EffectContrast]:
    shown = name.replace("_", " ")
    return plain_column(name, "string", f"{shown} of the row", lambda row: row.where[name], shown)


_NEEDS: "tuple[Column[CaseNeed], ...]" = (
    plain_column("measure", "string", "what is planned for", lambda need: need.measure, "measure"),
    plain_column(
        "value", "number", "value that the plan rests on", lambda need: all_digits(need.value), "value"
    ),
    plain_column("cases_now", "integer", "cases at hand", lambda need: need.cases_now, "cases now"),
    plain_column("purpose", "string", "what the cases are for", lambda need: need.purpose, "for"),
    plain_column("cases_needed", "integer", "cases that are needed", lambda need: need.cases, "cases needed"),
    plain_column("why_not", "string", "why there is no number", lambda need: need.why or None, "why not"),
)


def needs_spec(needs: "Sequence[CaseNeed]") -> "TableSpec[CaseNeed]":
    """One row for each need. People see cases at hand and missing numbers only where there are some."""
    lacking = {
        "cases_now": all(need.cases_now is None for need in needs),
        "why_not": not any(need.why for need in needs),
    }
    return TableSpec(
        tuple(
            column.for_programs_only() if lacking.get(column.fields[0].name) else column for column in _NEEDS
        ),
        1,
    )
