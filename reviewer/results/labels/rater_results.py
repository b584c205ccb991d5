"""Results of single raters: labels, speed, and agreement with the others and with themselves.

Where raters are left out, agreement is also computed with them.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from reviewer.agreement.raters import IntraRater, agreement_with_others, intra_rater, leave_one_rater_out
from reviewer.agreement.shares import rater_label_shares
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.results.labels.agreement_results import AgreementResult, Method, study_results
from reviewer.results.labels.coefficient_choice import (
    DIFFERENT_LABELS,
    KNOWN,
    NO_PASSING_LABEL,
    NOT_COMPUTED,
    OF_TWO,
    check_coefficients,
)
from reviewer.results.labels.dimensions import PAIR
from reviewer.results.labels.divided_items import (
    AnswerForm,
    Answers,
    ResultCell,
    StudyLabels,
    answers_of,
    cell_of,
    divided,
    label_at,
)
from reviewer.study.design.study_bundle import COUNTED, StudyBundle
from reviewer.study.session.label_rows import Item, LabelRow, items_of, label_rows
from store.records import Event

NO_TIMES = "no times"
NO_REPEATS = "no case shown twice"
_NOT_KNOWN = -1


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
    form: AnswerForm
    apart: Mapping[int, int]
    """Where labels have an order: steps from another rater's label of the same item → how often."""
    again_apart: Mapping[int, int]
    """Where labels have an order: steps between first and repeated label → on how many cases."""

    def of(self, key: str) -> Estimate:
        """A coefficient of the others; without a value where answers of this form do not have it."""
        known = self.without.get(key)
        return Estimate.undefined(NOT_COMPUTED[self.form], 0) if known is None else known


class _Times:
    """Active milliseconds of the labels that count, by item and rater; a number takes as little as can be."""

    def __init__(self, raters: Sequence[str]) -> None:
        self._columns = {rater: column for column, rater in enumerate(raters)}
        self._spent: dict[tuple[str, str], array[int]] = {}

    def add(self, row: LabelRow) -> None:
        """Add the time of a label, if it counts and its time is known."""
        event = row.verdict.event
        if event is None or event.active_ms is None or label_at(row, 0, COUNTED) is None:
            return
        item = row.question.key, row.place.case
        if item not in self._spent:
            self._spent[item] = array("q", [_NOT_KNOWN]) * len(self._columns)
        self._spent[item][self._columns[row.rater]] = event.active_ms

    def seconds(self, items: Sequence[Item], rater: str) -> Estimate:
        """Median seconds of active time. n counts answers with a time; imported answers have none."""
        column = self._columns[rater]
        known = (self._spent.get((question.key, place.case)) for question, place in items)
        seconds = [
            spent[column] / 1000 for spent in known if spent is not None and spent[column] != _NOT_KNOWN
        ]
        return Estimate(median(seconds), len(seconds)) if seconds else Estimate.undefined(NO_TIMES, 0)


def raters_of_study(
    bundle: StudyBundle, rows: Sequence[LabelRow], method: Method | None = None
) -> list[RaterResult]:
    """Every rater over the whole study, or on each question where no number is for all of these."""
    whole = rater_results(bundle, rows, method=method)
    unlike = any(result.with_others.reason == DIFFERENT_LABELS for result in whole)
    return rater_results(bundle, rows, ("question",), method) if unlike else whole


def rater_results(
    bundle: StudyBundle,
    rows: Iterable[LabelRow],
    by: Sequence[str] = (),
    method: Method | None = None,
    answers: Answers | None = None,
) -> list[RaterResult]:
    """Every rater in every cell, cell by cell; raises RequestError for an unknown dimension.

    Pass the ``answers`` of these rows if they are known; else ``rows`` are gone through twice.
    """
    if PAIR in by:
        raise RequestError("single raters cannot be divided by pair; leave pair out of --by.")
    how = (method or Method()).for_study(bundle)
    first = answers or answers_of(bundle, rows)
    times, repeated = _Times(first.raters), list[LabelRow]()
    for row in rows:
        times.add(row)
        if row.verdict.slot.showing:
            repeated.append(row)
    second = Answers(repeated, showing=1)
    check_coefficients([key for key in how.coefficients if key not in OF_TWO], by)
    cells = divided(items_of(bundle), first, by)
    return [result for cell in cells.values() for result in _of_cell(cell, times, second, by, how)]


def _of_cell(
    cell: ResultCell, times: _Times, second: Answers, by: Sequence[str], how: Method
) -> list[RaterResult]:
    ratings, level = cell.ratings, how.level
    keys = [key for key in how.keys(cell.form, by) if key not in OF_TWO]
    nothing = Estimate.undefined(_why_none(cell), len(cell.items))
    others = agreement_with_others(ratings, level) if ratings else dict.fromkeys(cell.raters, nothing)
    without = {
        key: leave_one_rater_out(ratings, KNOWN[key], level)
        if ratings
        else dict.fromkeys(cell.raters, nothing)
        for key in keys
    }
    shares = _passing_shares(cell, level)
    repeated = {rater: cell_of(second, cell.items, cell.where, (rater,)) for rater in cell.raters}
    return [
        RaterResult(
            cell.where,
            rater,
            sum(row[column] is not None for row in cell.labels),
            cell.missing[column],
            shares[rater],
            times.seconds(cell.items, rater),
            others[rater],
            {key: without[key][rater] for key in keys},
            _again(cell, repeated[rater], rater, level),
            cell.form,
            _from_others(cell, column),
            _from_first(cell, repeated[rater], column),
        )
        for column, rater in enumerate(cell.raters)
    ]


def _passing_shares(cell: ResultCell, level: float) -> Mapping[str, Estimate]:
    if cell.judged is None:
        reason = _why_none(cell) if cell.ratings is None else NO_PASSING_LABEL
        return dict.fromkeys(cell.raters, Estimate.undefined(reason, len(cell.items)))
    return rater_label_shares(cell.judged, cell.passing_votes, level)


def _again(cell: ResultCell, repeated: ResultCell, rater: str, level: float) -> IntraRater:
    if cell.ratings is None or not any(row[0] for row in repeated.labels):
        nothing = Estimate.undefined(_why_none(cell) if cell.ratings is None else NO_REPEATS, 0)
        return IntraRater(nothing, nothing)
    column = cell.raters.index(rater)
    before, again = [row[column] for row in cell.labels], [row[0] for row in repeated.labels]
    question = cell.items[0][0]
    given = dict.fromkeys(answer for answer in (*before, *again) if answer is not None)
    answers = question.labels if question.answer_kind.is_label else [*given]
    return intra_rater(before, again, answers, level)


def _from_others(cell: ResultCell, column: int) -> Counter[int]:
    """Steps between a rater's label and each other one of the same item, where labels have an order."""
    pairs = zip(cell.items, cell.labels, strict=True)
    return Counter(
        question.steps((own, label))
        for (question, _), row in pairs
        if question.ordinal and (own := row[column]) is not None
        for other, label in enumerate(row)
        if label is not None and other != column
    )


def _from_first(cell: ResultCell, repeated: ResultCell, column: int) -> Counter[int]:
    """Steps between a rater's first and repeated label, where labels have an order."""
    pairs = zip(cell.items, cell.labels, repeated.labels, strict=True)
    return Counter(
        question.steps((before, again))
        for (question, _), row, (again,) in pairs
        if question.ordinal and again is not None and (before := row[column]) is not None
    )


def _why_none(cell: ResultCell) -> str:
    """Why answers cannot be compared, if they cannot."""
    return NOT_COMPUTED["text" if cell.form == "text" else "mixed"]


@dataclass(frozen=True)
class BothWays:
    """One question's result ``without`` the raters who are left out, or with everybody."""

    without: bool
    result: AgreementResult


def both_ways(
    bundle: StudyBundle,
    events: Sequence[Event],
    by: Sequence[str] = ("question",),
    method: Method | None = None,
) -> list[BothWays]:
    """Each cell and pooled result, without and then with the raters left out; empty if none is."""
    if not bundle.excluded:
        return []
    everybody = label_rows(bundle, events, everyone=True)
    return both_ways_of(bundle, label_rows(bundle, events), everybody, by, method)


def both_ways_of(
    bundle: StudyBundle,
    without: StudyLabels,
    everybody: StudyLabels,
    by: Sequence[str],
    method: Method | None,
) -> list[BothWays]:
    """The same from the labels of the raters who count, and from those of all."""
    if not bundle.excluded:
        return []
    results = study_results(bundle, everybody, by, method)
    with_them = {(result.kind, *result.where.values()): result for result in results}
    return [
        BothWays(kept, shown)
        for result in study_results(bundle, without, by, method)
        if result.kind != "mean of cells"
        for kept, shown in ((True, result), (False, with_them[result.kind, *result.where.values()]))
    ]
