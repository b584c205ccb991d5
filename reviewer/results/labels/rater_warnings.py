"""What a study's lead should know about its raters: no proof of anything, but a reason to ask them.

Also whether raters change while they work: agreement, speed and labels by quarter of each rater's answers.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, Literal

from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.proportions import WILSON, proportion, wilson_ends
from reviewer.core.estimate import Estimate, Interval
from reviewer.core.number_text import fixed, percent, whole
from reviewer.core.sanitize import counted, enumerated
from reviewer.results.labels.divided_items import Answers, answers_of
from reviewer.results.labels.known_answer_accuracy import KnownAnswerAccuracy, known_answer_accuracy
from reviewer.study.design.study_bundle import BLIND, StudyBundle
from reviewer.study.design.study_design import StudyDesign
from reviewer.study.session.label_rows import LabelRow
from reviewer.study.session.reading_times import ReadingTimes

_FEWEST_ANSWERS: Final = 10
"""A warning rests on this many answers at least."""
ALL_ANSWERS: Final = "for all answers about a case"
FIRST_READING: Final = "until the first answer about the longest text of a case"


@dataclass(frozen=True, slots=True)
class Haste:
    """How many of a rater's cases were answered faster than people read.

    ``median`` is in active seconds a case, ``needed`` the median of the seconds that one reading takes. The
    seconds are ``of`` these answers.
    """

    faster: int
    cases: int
    median: float
    needed: float
    of: str = ALL_ANSWERS


@dataclass(frozen=True, slots=True)
class RaterWarning:
    """One sentence about one rater, which never says what they answered."""

    rater: str
    kind: Literal["speed", "gold", "training", "one label"]
    sentence: str
    haste: Haste | None = None
    """The numbers of a warning about speed."""

    @property
    def doubts_care(self) -> bool:
        """Whether it is a reason to look at the results without this rater.

        Where nearly every case passes, careful raters too give one label only.
        """
        return self.kind != "one label"


def rater_warnings(bundle: StudyBundle, rows: Sequence[LabelRow]) -> list[RaterWarning]:
    """The warnings about each rater, rater by rater."""
    first = [row for row in rows if row.label and _is_first(row)]
    reading = ReadingTimes(bundle)
    known = known_answer_accuracy(bundle, rows)
    return [
        warning
        for rater in sorted({row.rater for row in first})
        for warning in _about(rater, [row for row in first if row.rater == rater], bundle, reading, known)
    ]


def _is_first(row: LabelRow) -> bool:
    return row.verdict.slot.phase == "before" and not row.verdict.slot.showing


def _about(
    rater: str,
    rows: Sequence[LabelRow],
    bundle: StudyBundle,
    reading: ReadingTimes,
    known: Iterable[KnownAnswerAccuracy],
) -> Iterator[RaterWarning]:
    blind = [row for row in rows if row.place.role in BLIND]
    by_question = all(part.design.asking == "question" for part in bundle.parts or (bundle,))
    yield from _speed(rater, blind, reading, by_question=by_question)
    for accuracy in known:
        if accuracy.rater == rater and accuracy.question == "all":
            yield from _known(accuracy, bundle.design)
    if len(blind) >= _FEWEST_ANSWERS and len({row.label for row in blind}) == 1:
        others = len(rows) - len(blind)
        besides = f" ({counted(others, 'answer')} in training not counted)" if others else ""
        told = f"{rater} gave the same label in all {len(blind):,} answers{besides}."
        yield RaterWarning(rater, "one label", told)


def _speed(
    rater: str, rows: Sequence[LabelRow], reading: ReadingTimes, *, by_question: bool
) -> Iterator[RaterWarning]:
    """Compares the time for a rater's answers about a case with the time that one reading takes.

    Where all questions of a case are asked in a row, they share one reading. Asked ``by_question``, a case
    comes back after others: time that is spent then cannot be the reading on which the first answer rests.
    """
    by_case: dict[str, list[LabelRow]] = defaultdict(list)
    for row in rows:
        by_case[row.place.case].append(row)
    timed = {
        case: _to_first_reading(case, given, reading) if by_question else given
        for case, given in by_case.items()
    }
    spent = {case: time for case, given in timed.items() if (time := _seconds(given)) is not None}
    if sum(len(by_case[case]) for case in spent) < _FEWEST_ANSWERS:
        return
    needed = {case: reading.seconds(case, [row.question for row in by_case[case]]) for case in spent}
    faster = sum(spent[case] < needed[case] for case in spent)
    if 2 * faster > len(spent):
        of = FIRST_READING if by_question else ALL_ANSWERS
        haste = Haste(faster, len(spent), median(spent.values()), median(needed.values()), of)
        text = "it" if by_question else "the longest text of a case"
        yield RaterWarning(
            rater,
            "speed",
            f"{rater} answered {faster:,} of {counted(len(spent), 'case')} faster than people read. The "
            f"median is {fixed(haste.median, 1)} seconds {of}; a fast reader needs about "
            f"{whole(haste.needed)} for {text}.",
            haste,
        )


def _to_first_reading(case: str, rows: Sequence[LabelRow], reading: ReadingTimes) -> Sequence[LabelRow]:
    """The answers about a case up to the first one about its longest text, in the order they were given."""
    ordered = sorted(rows, key=lambda row: row.verdict.event.at if row.verdict.event else "")
    needed = [reading.seconds(case, [row.question]) for row in ordered]
    return ordered[: needed.index(max(needed)) + 1]


def _seconds(rows: Iterable[LabelRow]) -> float | None:
    """Active seconds for these answers together; None if the time of one is not known."""
    events = [row.verdict.event for row in rows]
    times = [event.active_ms for event in events if event is not None and event.active_ms is not None]
    return sum(times) / 1000 if times and len(times) == len(events) else None


def _known(accuracy: KnownAnswerAccuracy, design: StudyDesign) -> Iterator[RaterWarning]:
    mark = design.gold_pass if accuracy.role == "gold" else design.training_pass
    done = accuracy.answered if accuracy.role == "gold" else accuracy.answered == accuracy.known
    if mark is None or not done or accuracy.right >= mark * accuracy.answered:
        return
    cases = "gold cases" if accuracy.role == "gold" else "the training"
    yield RaterWarning(
        accuracy.rater,
        accuracy.role,
        f"{accuracy.rater} matched {accuracy.right:,} of {counted(accuracy.answered, 'known answer')} in "
        f"{cases}; the pass mark is {percent(mark, None)}.",
    )


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
            rater,
            at + 1,
            len(part),
            agreement,
            _mean_seconds(part, level),
            proportion(first, len(part), level),
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


def _mean_seconds(rows: Iterable[LabelRow], level: float) -> Estimate:
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
