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
