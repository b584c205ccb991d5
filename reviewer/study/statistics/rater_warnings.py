"""What a study's lead should know about its raters: no proof of anything, but a reason to ask them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, Literal

from reviewer.core.pane import Body, Dialogue, Pair, Text, Variants
from reviewer.core.sanitize import counted
from reviewer.study.design.study_bundle import BLIND, StudyBundle
from reviewer.study.statistics.known_answer_accuracy import KnownAnswerAccuracy, known_answer_accuracy
from reviewer.study.statistics.label_rows import LabelRow

WORDS_A_MINUTE: Final = 400
"""Who reads faster than this skims (Rayner et al. (2016), So much to read, so little time)."""
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
    words = _WordCounts(bundle)
    known = known_answer_accuracy(bundle, rows)
    return [
        warning
        for rater in sorted({row.rater for row in first})
        for warning in _about(rater, [row for row in first if row.rater == rater], bundle, words, known)
    ]


def _is_first(row: LabelRow) -> bool:
    return row.verdict.slot.phase == "before" and not row.verdict.slot.showing


def _about(
    rater: str,
    rows: Sequence[LabelRow],
    bundle: StudyBundle,
    words: "_WordCounts",
    known: Iterable[KnownAnswerAccuracy],
) -> Iterator[RaterWarning]:
    blind = [row for row in rows if row.place.role in BLIND]
    yield from _speed(rater, blind, words)
    for accuracy in known:
        if accuracy.rater == rater and accuracy.question == "all":
            yield from _known(accuracy, bundle.design.training_pass)
    if len(blind) >= _LABELS_FOR_SAMENESS and len({row.label for row in blind}) == 1:
        told = f"{rater} gave one and the same label in all {len(blind):,} answers."
        yield RaterWarning(rater, "one label", told)


def _speed(rater: str, rows: Sequence[LabelRow], words: "_WordCounts") -> Iterator[RaterWarning]:
    """Compares the time for all of a rater's answers about a case with the time that one reading takes."""
    by_case: dict[str, list[LabelRow]] = defaultdict(list)
    for row in rows:
        by_case[row.place.case].append(row)
    spent = {case: time for case, given in by_case.items() if (time := _seconds(given)) is not None}
    if len(spent) < _CASES_FOR_SPEED:
        return
    needed = {case: 60 * words.shown(case, by_case[case]) / WORDS_A_MINUTE for case in spent}
    faster = sum(spent[case] < needed[case] for case in spent)
    if 2 * faster > len(spent):
        yield RaterWarning(
            rater,
            "speed",
            f"{rater} answered faster than people read on {faster:,} of {counted(len(spent), 'case')}: in "
            f"{median(spent.values()):.1f} seconds a case, where a fast reader needs about "
            f"{median(needed.values()):.0f} for its longest text (medians).",
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
        f"{cases}; the pass mark is {mark:.0%}.",
    )


class _WordCounts:
    """How many words of prose each pane of a case has, counted once."""

    def __init__(self, bundle: StudyBundle) -> None:
        self._bundle = bundle
        self._by_case: dict[str, dict[str, int]] = {}

    def shown(self, case: str, rows: Iterable[LabelRow]) -> int:
        """The words of the longest text that the questions of these answers are about.

        Only the longest counts, since panes repeat texts: who has read less than it has not read the case.
        """
        if case not in self._by_case:
            panes = self._bundle.protocol.panes(self._bundle.cases[case], ())
            self._by_case[case] = {pane.key: _words(pane.body) for pane in panes}
        keys = {key for row in rows for key in row.question.shows}
        return max((count for key, count in self._by_case[case].items() if key in keys), default=0)


def _words(body: Body) -> int:
    """The words of a text. Of compared texts only the longest counts, since the others mostly repeat it."""
    match body:
        case Pair():
            return (max if body.compared else sum)((_words(body.left), _words(body.right)))
        case Variants():
            return (max if body.compared else sum)([_words(text) for _, text in body.texts])
        case Dialogue():
            return sum(len(turn.text.split()) for turn in body.turns)
        case _:
            return len(body.text.split()) if isinstance(body, Text) else 0
