"""Results of single raters: labels, speed, and agreement with the others and with themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from reviewer.agreement import (
    COEFFICIENTS,
    IntraRater,
    Ratings,
    agreement_with_others,
    intra_rater,
    leave_one_rater_out,
    rater_label_shares,
)
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.statistics.agreement_results import DIFFERENT_LABELS, NO_PASSING_LABEL, Method
from reviewer.study.statistics.cells import Answers, Item, ResultCell, cell_of, divided, items_of
from reviewer.study.statistics.dimensions import PAIR
from reviewer.study.statistics.label_rows import LabelRow

NO_TIMES = "no times"
NO_REPEATS = "no case shown twice"


@dataclass(frozen=True)
class RaterResult:
    """One rater in one cell.

    ``seconds`` is the median active time per answer. ``without`` holds each coefficient of the other raters
    alone. ``again`` compares the rater's answers at the second showing with those at the first.
    """

    where: Mapping[str, str]
    rater: str
    labels: int
    missing: int
    passing_share: Estimate
    seconds: Estimate
    with_others: Estimate
    without: Mapping[str, Estimate]
    again: IntraRater


def rater_results(
    bundle: StudyBundle, rows: Sequence[LabelRow], by: Sequence[str] = (), method: Method | None = None
) -> list[RaterResult]:
    """Every rater in every cell, cell by cell; raises RequestError for an unknown dimension."""
    if PAIR in by:
        raise RequestError("single raters cannot be divided by pair; leave pair out of --by.")
    how = method or Method()
    first, second = Answers(rows), Answers(rows, showing=1)
    keys = [key for key in how.chosen(by) if key in COEFFICIENTS]
    cells = divided(items_of(bundle), first, by)
    return [result for cell in cells.values() for result in _of_cell(cell, first, second, keys, how.level)]


def _of_cell(
    cell: ResultCell, first: Answers, second: Answers, keys: Sequence[str], level: float
) -> list[RaterResult]:
    ratings = cell.ratings
    nothing = Estimate.undefined(DIFFERENT_LABELS, len(cell.items))
    others = agreement_with_others(ratings, level) if ratings else dict.fromkeys(cell.raters, nothing)
    without = {
        key: leave_one_rater_out(ratings, COEFFICIENTS[key], level)
        if ratings
        else dict.fromkeys(cell.raters, nothing)
        for key in keys
    }
    shares = _passing_shares(cell, ratings, level)
    return [
        RaterResult(
            cell.where,
            rater,
            sum(row[column] is not None for row in cell.labels),
            sum(row[column] is None for row in cell.labels),
            shares[rater],
            _seconds(cell.items, first, rater),
            others[rater],
            {key: without[key][rater] for key in keys},
            _again(cell, second, rater, level),
        )
        for column, rater in enumerate(cell.raters)
    ]


def _passing_shares(cell: ResultCell, ratings: Ratings | None, level: float) -> Mapping[str, Estimate]:
    passing = cell.passing
    if ratings is None or not passing:
        reason = DIFFERENT_LABELS if ratings is None else NO_PASSING_LABEL
        return dict.fromkeys(cell.raters, Estimate.undefined(reason, len(cell.items)))
    return rater_label_shares(ratings, passing, level)


def _seconds(items: Sequence[Item], answers: Answers, rater: str) -> Estimate:
    """Median seconds of active time. n counts the answers with a time; imported answers have none."""
    rows = [answers.row(item, rater) for item in items]
    events = [row.verdict.event for row in rows if row is not None]
    times = [event.active_ms / 1000 for event in events if event is not None and event.active_ms is not None]
    return Estimate(median(times), len(times)) if times else Estimate.undefined(NO_TIMES, 0)


def _again(cell: ResultCell, second: Answers, rater: str, level: float) -> IntraRater:
    repeated = cell_of(second, cell.items, cell.where, (rater,))
    labels = [row[0] for row in repeated.labels]
    if cell.ratings is None or not any(labels):
        nothing = Estimate.undefined(DIFFERENT_LABELS if cell.ratings is None else NO_REPEATS, 0)
        return IntraRater(nothing, nothing)
    column = cell.raters.index(rater)
    before = [row[column] for row in cell.labels]
    return intra_rater(before, labels, cell.items[0][0].labels, level)
