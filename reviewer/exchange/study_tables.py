"""A study's numbers as tables for machines: one reason beside every value that is missing."""

from collections.abc import Sequence

from reviewer.core.estimate import Estimate
from reviewer.core.table import Cell, Table
from reviewer.study.labels import LabelRow
from reviewer.study.results import Result

_LABEL_COLUMNS = (
    "study",
    "question",
    "dataset",
    "key",
    "generator",
    "group",
    "case",
    "rater",
    "showing",
    "phase",
    "state",
    "label",
    "comment",
    "flagged",
    "seconds",
    "at",
    "stale",
    "forked",
    "events",
    "event",
    "event_digest",
    "question_digest",
)


def labels_table(rows: Sequence[LabelRow]) -> Table:
    """Long form: one row a current verdict, comment or flag."""
    return Table.of(_LABEL_COLUMNS, [_label_row(row) for row in rows])


def agreement_table(results: Sequence[Result], by: Sequence[str]) -> Table:
    """One row a result: counts, the share of passing labels, and each coefficient with its reason."""
    keys = list(results[0].coefficients) if results else []
    columns = (*_head(by), "passing_share", *(name for key in keys for name in (key, f"{key}_undefined")))
    return Table.of(columns, [_agreement_row(result, by) for result in results])


def pass_rates_table(results: Sequence[Result], by: Sequence[str]) -> Table:
    """One row a result: majority and unanimity pass rates with Wilson intervals, and ties."""
    columns = list(_head(by))
    for name in ("majority", "unanimity"):
        columns += [name, f"{name}_low", f"{name}_high", f"{name}_undefined"]
    return Table.of((*columns, "ties"), [_pass_row(result, by) for result in results])


def _label_row(row: LabelRow) -> list[Cell]:
    verdict, place, event = row.verdict, row.place, row.verdict.event
    return [
        place.study,
        row.question.key,
        place.dataset,
        place.key,
        place.generator,
        place.group,
        place.case,
        row.rater,
        verdict.slot.showing,
        verdict.slot.phase,
        str(verdict.state),
        verdict.label,
        verdict.comment or None,
        verdict.flagged,
        None if event is None or event.active_ms is None else event.active_ms / 1000,
        event.at if event else None,
        row.stale,
        verdict.forked,
        row.events,
        event.id if event else None,
        event.digest if event else None,
        event.question_digest if event else None,
    ]


def _head(by: Sequence[str]) -> tuple[str, ...]:
    return (*by, "kind", "items", "raters", "labels", "missing")


def _head_cells(result: Result, by: Sequence[str]) -> list[Cell]:
    where = [result.where[dimension] for dimension in by]
    return [*where, result.kind, result.items, result.raters, result.ratings, result.missing]


def _agreement_row(result: Result, by: Sequence[str]) -> list[Cell]:
    cells = [*_head_cells(result, by), _rounded(result.passing_share.value)]
    for estimate in result.coefficients.values():
        cells += [_rounded(estimate.value), estimate.reason]
    return cells


def _pass_row(result: Result, by: Sequence[str]) -> list[Cell]:
    return [
        *_head_cells(result, by),
        *_rate(result.majority),
        *_rate(result.unanimity),
        result.ties,
    ]


def _rate(estimate: Estimate) -> list[Cell]:
    ends = (estimate.interval.low, estimate.interval.high) if estimate.interval else (None, None)
    return [*map(_rounded, (estimate.value, *ends)), estimate.reason]


def _rounded(value: float | None) -> float | None:
    """Twelve decimals: what the formulas say, without what the last bits of a machine say."""
    return None if value is None else round(value, 12) + 0.0
