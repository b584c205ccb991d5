"""A study's results as tables for machines: every missing value has a reason beside it."""

from collections.abc import Sequence

from reviewer.core.table import Cell, Table
from reviewer.exchange.exports.estimate_columns import (
    BARE_SUFFIXES,
    RATE_SUFFIXES,
    cells_of,
    column_names,
    rounded,
)
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.notes import Note
from reviewer.study.statistics.agreement_results import AgreementResult
from reviewer.study.statistics.label_rows import LabelRow
from reviewer.study.statistics.pass_rate_differences import PassRateDifference
from reviewer.study.statistics.rater_results import RaterResult
from reviewer.study.statistics.sample_size import CellPlan
from store.records import canonical_json

_LABEL_COLUMNS = (
    "study",
    "question",
    "question_key",
    "dataset",
    "key",
    "generator",
    "group",
    "case",
    "role",
    "rater",
    "showing",
    "phase",
    "swapped",
    "state",
    "label",
    "comment",
    "passage",
    "reason",
    "flagged",
    "seconds",
    "at",
    "stale",
    "forked",
    "answers",
    "events",
    "event",
    "event_digest",
    "question_digest",
    "way",
    "panes",
)


def labels_table(rows: Sequence[LabelRow]) -> Table:
    """Long form: one row for each current verdict, comment or flag."""
    return Table.of(_LABEL_COLUMNS, [_label_row(row) for row in rows])


def notes_table(bundle: StudyBundle, notes: Sequence[Note]) -> Table:
    """One row for each note, with the place at which it was written."""
    places = {place.case: place for place in bundle.sample}
    rows = [
        (
            bundle.study.name,
            note.rater,
            note.at,
            note.text,
            note.slot.question,
            places[note.slot.case].dataset,
            places[note.slot.case].key,
            note.slot.case,
            note.event,
        )
        for note in notes
    ]
    columns = ("study", "rater", "at", "note", "question_key", "dataset", "key", "case", "event")
    return Table.of(columns, rows)


def agreement_table(results: Sequence[AgreementResult], by: Sequence[str]) -> Table:
    """One row for each result: counts, share of passing labels, and each coefficient with all its parts."""
    keys = list(results[0].coefficients) if results else []
    columns = (*_head(by), "passing_share", *(name for key in keys for name in column_names(key)))
    return Table.of(columns, [_agreement_row(result, by) for result in results])


def pass_rates_table(results: Sequence[AgreementResult], by: Sequence[str]) -> Table:
    """One row for each result: majority and unanimity pass rates with their intervals, and ties."""
    columns = [*_head(by), *_rate_columns("majority"), *_rate_columns("unanimity"), "ties"]
    return Table.of(columns, [_pass_row(result, by) for result in results])


def differences_table(found: Sequence[PassRateDifference], by: Sequence[str]) -> Table:
    """One row for each comparison: both rates, their difference, z, p, and p by Holm."""
    shared = tuple(by[:-1])
    columns = (
        *shared,
        "measure",
        "compared",
        "first",
        "second",
        "first_rate",
        "first_n",
        "second_rate",
        "second_n",
        *_rate_columns("difference"),
        "z",
        "p",
        "p_holm",
        "test_undefined",
        "dependent",
    )
    return Table.of(columns, [_difference_row(each, shared, by[-1]) for each in found])


def raters_table(found: Sequence[RaterResult], by: Sequence[str]) -> Table:
    """One row for each rater: labels, share of passing ones, speed, agreement with others and themselves.

    The columns ``without_…`` hold each coefficient of the other raters alone.
    """
    keys = list(found[0].without) if found else []
    columns = [*by, "rater", "labels", "missing"]
    for name in ("passing_share", "others", "self", "self_kappa"):
        columns += _rate_columns(name)
    columns += column_names("seconds", BARE_SUFFIXES)
    columns += [name for key in keys for name in column_names(f"without_{key}", BARE_SUFFIXES)]
    return Table.of(columns, [_rater_row(each, by) for each in found])


def plans_table(found: Sequence[CellPlan], by: Sequence[str]) -> Table:
    """One row for each coefficient of a cell: its half-width, and the cases that a smaller one needs."""
    columns = (*by, "kind", "coefficient", "value", "half_width", "cases", "needed", "more", "undefined")
    rows = [
        [
            *(each.where[dimension] for dimension in by),
            each.kind,
            each.coefficient,
            rounded(each.plan.value),
            rounded(each.half_width),
            each.cases,
            each.plan.cases,
            each.plan.more,
            each.plan.reason,
        ]
        for each in found
    ]
    return Table.of(columns, rows)


def _label_row(row: LabelRow) -> list[Cell]:
    verdict, place, event = row.verdict, row.place, row.verdict.event
    return [
        place.study,
        row.question.title,
        row.question.key,
        place.dataset,
        place.key,
        place.generator,
        place.group,
        place.case,
        place.role,
        row.rater,
        verdict.slot.showing,
        verdict.slot.phase,
        event.swapped if event else None,
        str(verdict.state),
        verdict.label,
        verdict.comment or None,
        canonical_json(verdict.passage) if verdict.passage else None,
        row.reason or None,
        verdict.flagged,
        None if event is None or event.active_ms is None else event.active_ms / 1000,
        event.at if event else None,
        row.stale,
        verdict.forked,
        row.answers,
        row.events,
        event.id if event else None,
        event.digest if event else None,
        event.question_digest if event else None,
        event.given if event else None,
        " ".join(event.panes) if event and event.panes is not None else None,
    ]


def _head(by: Sequence[str]) -> tuple[str, ...]:
    return (*by, "kind", "items", "cases", "raters", "labels", "missing")


def _head_cells(result: AgreementResult, by: Sequence[str]) -> list[Cell]:
    where = [result.where[dimension] for dimension in by]
    counts = (result.items, result.cases, result.raters, result.ratings, result.missing)
    return [*where, result.kind, *counts]


def _agreement_row(result: AgreementResult, by: Sequence[str]) -> list[Cell]:
    cells = [*_head_cells(result, by), rounded(result.passing_share.value)]
    for estimate in result.coefficients.values():
        cells += cells_of(estimate)
    return cells


def _rate_columns(name: str) -> list[str]:
    return column_names(name, RATE_SUFFIXES)


def _pass_row(result: AgreementResult, by: Sequence[str]) -> list[Cell]:
    return [
        *_head_cells(result, by),
        *cells_of(result.majority, RATE_SUFFIXES),
        *cells_of(result.unanimity, RATE_SUFFIXES),
        result.ties,
    ]


def _difference_row(each: PassRateDifference, shared: Sequence[str], compared: str) -> list[Cell]:
    first, second = each.rates
    return [
        *(each.where[dimension] for dimension in shared),
        each.measure,
        compared,
        each.first,
        each.second,
        rounded(first.value),
        first.n,
        rounded(second.value),
        second.n,
        *cells_of(each.difference, RATE_SUFFIXES),
        rounded(each.test.z),
        rounded(each.test.p),
        rounded(each.adjusted),
        each.test.reason,
        each.dependent,
    ]


def _rater_row(each: RaterResult, by: Sequence[str]) -> list[Cell]:
    cells: list[Cell] = [*(each.where[dimension] for dimension in by), each.rater, each.labels, each.missing]
    for estimate in (each.passing_share, each.with_others, each.again.agreement, each.again.kappa):
        cells += cells_of(estimate, RATE_SUFFIXES)
    cells += cells_of(each.seconds, BARE_SUFFIXES)
    for estimate in each.without.values():
        cells += cells_of(estimate, BARE_SUFFIXES)
    return cells
