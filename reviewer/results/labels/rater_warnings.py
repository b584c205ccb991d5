"""What a study's lead should know about its raters: no proof of anything, but a reason to ask them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, Literal

from reviewer.core.number_text import fixed, percent, whole
from reviewer.core.sanitize import counted
from reviewer.results.labels.known_answer_accuracy import KnownAnswerAccuracy, known_answer_accuracy
from reviewer.study.design.study_bundle import BLIND, StudyBundle
from reviewer.study.session.label_rows import LabelRow
from reviewer.study.session.reading_times import ReadingTimes

GOLD_PASS: Final = 0.7
"""The share of gold answers that a rater should match."""
_CASES_FOR_SPEED: Final = 3
_LABELS_FOR_SAMENESS: Final = 10


@dataclass(frozen=True, slots=True)
class RaterWarning:
    """One sentence about one rater, which never says what they answered."""

    rater: str
    kind: Literal["speed", "gold", "training", "one label"]
    sentence: str


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
    yield from _speed(rater, blind, reading)
    for accuracy in known:
        if accuracy.rater == rater and accuracy.question == "all":
            yield from _known(accuracy, bundle.design.training_pass)
    if len(blind) >= _LABELS_FOR_SAMENESS and len({row.label for row in blind}) == 1:
        told = f"{rater} gave one and the same label in all {len(blind):,} answers."
        yield RaterWarning(rater, "one label", told)


def _speed(rater: str, rows: Sequence[LabelRow], reading: ReadingTimes) -> Iterator[RaterWarning]:
    """Compares the time for all of a rater's answers about a case with the time that one reading takes."""
    by_case: dict[str, list[LabelRow]] = defaultdict(list)
    for row in rows:
        by_case[row.place.case].append(row)
    spent = {case: time for case, given in by_case.items() if (time := _seconds(given)) is not None}
    if len(spent) < _CASES_FOR_SPEED:
        return
    needed = {case: reading.seconds(case, [row.question for row in by_case[case]]) for case in spent}
    faster = sum(spent[case] < needed[case] for case in spent)
    if 2 * faster > len(spent):
        yield RaterWarning(
            rater,
            "speed",
            f"{rater} answered {faster:,} of {counted(len(spent), 'case')} faster than people read. The "
            f"median is {fixed(median(spent.values()), 1)} seconds a case; a fast reader needs about "
            f"{whole(median(needed.values()))} for the longest text of a case.",
        )


def _seconds(rows: Iterable[LabelRow]) -> float | None:
    """Active seconds for these answers together; None if the time of one is not known."""
    events = [row.verdict.event for row in rows]
    times = [event.active_ms for event in events if event is not None and event.active_ms is not None]
    return sum(times) / 1000 if times and len(times) == len(events) else None


def _known(accuracy: KnownAnswerAccuracy, training_pass: float | None) -> Iterator[RaterWarning]:
    mark = GOLD_PASS if accuracy.role == "gold" else training_pass
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
