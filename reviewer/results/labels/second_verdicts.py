"""How automatic findings change verdicts: second verdicts compared with first ones, question by question."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reviewer.agreement.proportions import proportion
from reviewer.core.estimate import Estimate
from reviewer.core.question import Question
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import LabelRow

LabelPair = tuple[str, str]
"""A first and a second label."""
_Key = tuple[str, str, str]
"""A question, a rater and a case."""


@dataclass(frozen=True)
class SecondVerdicts:
    """All raters' second verdicts on one question, for counted cases at their first showing.

    ``first`` counts first verdicts. ``seen`` counts those after which the rater saw what the answer reveals.
    ``again`` counts those with a second verdict. ``share`` is the share of changed ones among the latter,
    with Wilson's interval.
    """

    question: Question
    first: int
    seen: int
    again: int
    changes: Mapping[LabelPair, int]
    """How often each label was changed to each other label."""
    share: Estimate

    @property
    def changed(self) -> int:
        """How many second verdicts differ from the first."""
        return sum(self.changes.values())


def second_verdicts(
    bundle: StudyBundle, rows: Iterable[LabelRow], level: float = 0.95
) -> list[SecondVerdicts]:
    """One value per question, in the order of the questions; empty if nothing was ever revealed.

    ``rows`` are gone through several times.
    """
    after = {_key(row): row.label for row in rows if _counts(row) and row.verdict.slot.phase == "after"}
    if not after:
        return []
    answered, first = Counter[str](), dict[_Key, str]()
    for row in rows:
        if _counts(row) and row.verdict.slot.phase == "before" and row.label:
            answered[row.question.key] += 1
            if _key(row) in after:
                first[_key(row)] = row.label
    return [
        _of_question(
            question,
            answered[question.key],
            [(key, said, after[key]) for key, said in first.items() if key[0] == question.key],
            level,
        )
        for question in bundle.questions
    ]


def _of_question(
    question: Question, answered: int, label_pairs: Sequence[tuple[_Key, str, str | None]], level: float
) -> SecondVerdicts:
    """``label_pairs`` are the first labels after which the rater saw what they reveal, with second ones."""
    twice = [(case, said, again) for (_, _, case), said, again in label_pairs if again]
    changes = Counter((said, again) for _, said, again in twice if said != again)
    ordered = dict(sorted(changes.items(), key=lambda change: (-change[1], change[0])))
    cases = len({case for case, _, _ in twice})
    share = proportion(changes.total(), len(twice), level).resting_on(cases)
    return SecondVerdicts(question, answered, len(label_pairs), len(twice), ordered, share)


def _counts(row: LabelRow) -> bool:
    return row.place.role == "counted" and not row.verdict.slot.showing


def _key(row: LabelRow) -> _Key:
    return row.question.key, row.rater, row.place.case
