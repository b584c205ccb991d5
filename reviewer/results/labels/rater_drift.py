"""Whether raters change while they work: agreement, speed and labels by quarter of each rater's answers."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.proportions import WILSON, proportion, wilson_ends
from reviewer.core.estimate import Estimate, Interval
from reviewer.core.sanitize import counted, enumerated
from reviewer.results.labels.divided_items import Answers, answers_of
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import LabelRow

QUARTERS: Final = 4
FEWEST_ANSWERS: Final = 40
"""A rater with fewer answers has no quarters: ten answers each say little enough."""
ORDER_STATISTICS: Final = "order statistics"
NOT_YET: Final = "agreement is shown when all raters have finished"
_FROM_FILES: Final = ("spreadsheet", "import")
_NO_OTHERS: Final = "no answer of another rater"
_NO_TIMES: Final = "not measured"


@dataclass(frozen=True, slots=True)
class WorkQuarter:
    """One quarter of a rater's answers, in the order in which they were given.

    ``agreement`` is the mean share of the other raters of an item who gave the same label, ``seconds`` the
    median active time, ``first_label`` the share of answers that are the first label of their question.
    """

    rater: str
    quarter: int
    answers: int
    agreement: Estimate
    seconds: Estimate
    first_label: Estimate


def rater_drift(
    bundle: StudyBundle,
    rows: Sequence[LabelRow],
    level: float = DEFAULT_LEVEL,
    *,
    with_agreement: bool = True,
) -> list[WorkQuarter]:
    """Four quarters for each rater with enough answers, raters by name.

    Only counted cases at their first showing, before any reveal. Without ``with_agreement`` the shares of
    agreement are left out, for a lead whose raters have not finished.
    """
    answers = answers_of(bundle, rows) if with_agreement else None
    given = [row for row in rows if _counts(row)]
    return [
        quarter
        for rater in sorted({row.rater for row in given})
        for quarter in _quarters(rater, [row for row in given if row.rater == rater], answers, level)
    ]


def drift_remarks(rows: Sequence[LabelRow], quarters: Iterable[WorkQuarter]) -> list[str]:
    """Which raters have no quarters, and of whom quarters say nothing about time."""
    labels = dict.fromkeys(sorted({row.rater for row in rows if row.label}), 0)
    from_files = set()
    for row in filter(_counts, rows):
        labels[row.rater] += 1
        if row.verdict.event and row.verdict.event.given in _FROM_FILES:
            from_files.add(row.rater)
    divided = {quarter.rater for quarter in quarters}
    few = [
        f"{rater} ({counted(number, 'label')})" for rater, number in labels.items() if rater not in divided
    ]
    remarks = (
        [f"A rater needs {FEWEST_ANSWERS} labels that count; no quarters of {enumerated(few)}."]
        if few
        else []
    )
    if imported := sorted(from_files & divided):
        remarks.append(
            f"Labels of {enumerated(imported)} came from a file, and stand in its order, so their quarters "
            "tell nothing about time."
        )
    return remarks


def _counts(row: LabelRow) -> bool:
    slot = row.verdict.slot
    labelled = row.label is not None and row.question.answer_kind.is_label
    return labelled and row.place.role == "counted" and not slot.showing and slot.phase == "before"


def _quarters(
    rater: str, rows: Sequence[LabelRow], answers: Answers | None, level: float
) -> Iterator[WorkQuarter]:
    if len(rows) < FEWEST_ANSWERS:
        return
    ordered = sorted(rows, key=lambda row: row.verdict.event.id if row.verdict.event else "")
    for at in range(QUARTERS):
        part = ordered[at * len(ordered) // QUARTERS : (at + 1) * len(ordered) // QUARTERS]
        first = sum(row.label == row.question.labels[0] for row in part)
        agreement = Estimate.undefined(NOT_YET, 0) if answers is None else _agreement(part, answers, level)
        yield WorkQuarter(
            rater, at + 1, len(part), agreement, _seconds(part, level), proportion(first, len(part), level)
        )


def _agreement(rows: Iterable[LabelRow], answers: Answers, level: float) -> Estimate:
    """The mean over items of the share of others who agree, with Wilson's interval around it."""
    shares = []
    for row in rows:
        item = row.question, row.place
        if answers.label(item, row.rater) is None:  # a third vote, which enters no agreement
            continue
        others = [answers.label(item, other) for other in answers.raters if other != row.rater]
        known = [label for label in others if label is not None]
        if known:
            shares.append(known.count(row.label or "") / len(known))
    if not shares:
        return Estimate.undefined(_NO_OTHERS, 0)
    mean = sum(shares) / len(shares)
    low, high = wilson_ends(mean, len(shares), level)
    return Estimate(mean, len(shares), interval=Interval(low, high, level, WILSON))


def _seconds(rows: Iterable[LabelRow], level: float) -> Estimate:
    """The median time, with the interval between two order statistics that holds it at the level at least."""
    events = (row.verdict.event for row in rows)
    times = sorted(event.active_ms / 1000 for event in events if event and event.active_ms is not None)
    if not times:
        return Estimate.undefined(_NO_TIMES, 0)
    middle = (times[(len(times) - 1) // 2] + times[len(times) // 2]) / 2
    reach = _order_of_lower_end(len(times), level)
    ends = None if reach is None else Interval(times[reach], times[-1 - reach], level, ORDER_STATISTICS)
    return Estimate(middle, len(times), interval=ends)


def _order_of_lower_end(number: int, level: float) -> int | None:
    """The greatest k with P(at most k of n times below the median) <= (1 - level) / 2; None without any."""
    below, found = 0.0, None
    for order in range(number // 2):
        below += math.comb(number, order) / 2**number
        if below > (1 - level) / 2:
            break
        found = order
    return found
