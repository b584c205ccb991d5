"""Raters' accuracy on known answers: on gold cases, and in training."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from reviewer.core.estimate import Estimate
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import LabelRow

ALL_RATERS = "all raters"


@dataclass(frozen=True)
class KnownAnswerAccuracy:
    """One rater's first answers to questions with known answers. ``cases`` is the number of cases."""

    rater: str
    role: Literal["gold", "training"]
    question: str
    """The question's title; "all" for all questions."""
    known: int
    answered: int
    right: int
    cases: int
    level: float

    @cached_property
    def share(self) -> Estimate:
        """The share of right answers, with Wilson's interval."""
        from reviewer.agreement.proportions import proportion  # numpy takes a fifth of a second to load

        return proportion(self.right, self.answered, self.level).resting_on(self.cases)


_Labels = Mapping[tuple[str, str, str], str]
"""Labels by rater, case and question."""


def known_answer_accuracy(
    bundle: StudyBundle, rows: Iterable[LabelRow], level: float = 0.95
) -> list[KnownAnswerAccuracy]:
    """Gold, then training: rater by rater, then all raters; each over all questions, then by question."""
    roles: tuple[Literal["gold", "training"], ...] = ("gold", "training")
    if not bundle.known:
        return []
    everybody, said = set[str](), dict[tuple[str, str, str], str]()
    for row in rows:
        everybody.add(row.rater)
        if row.label and _is_known(bundle, row):
            said[row.rater, row.place.case, row.question.key] = row.label
    raters = sorted(everybody)
    return [
        accuracy
        for role in roles
        for who in [*([rater] for rater in raters), *([raters] if len(raters) > 1 else [])]
        for accuracy in _of_raters(bundle, said, role, who, level)
    ]


def _is_known(bundle: StudyBundle, row: LabelRow) -> bool:
    """Whether a first verdict is about a question with a known answer."""
    slot = row.verdict.slot
    return not slot.showing and slot.phase == "before" and (slot.case, slot.question) in bundle.known


def _of_raters(
    bundle: StudyBundle,
    said: _Labels,
    role: Literal["gold", "training"],
    raters: Sequence[str],
    level: float,
) -> Iterable[KnownAnswerAccuracy]:
    wanted = [key for key in bundle.known if bundle.roles[key[0]] == role]
    if not wanted:
        return
    name = raters[0] if len(raters) == 1 else ALL_RATERS
    titles = {question.key: question.title for question in bundle.questions}
    with_known = [key for key in titles if any(question == key for _, question in wanted)]
    for key in ["", *(with_known if len(with_known) > 1 else [])]:
        about = [(case, question) for case, question in wanted if key in ("", question)]
        given = [
            (said.get((rater, case, question)), bundle.known[case, question].label)
            for rater in raters
            for case, question in about
        ]
        answered = [(label, known) for label, known in given if label is not None]
        right = sum(label == known for label, known in answered)
        cases = len({case for rater in raters for case, asked in about if said.get((rater, case, asked))})
        yield KnownAnswerAccuracy(
            name, role, titles.get(key, "all"), len(given), len(answered), right, cases, level
        )
