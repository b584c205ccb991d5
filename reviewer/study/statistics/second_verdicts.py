"""How automatic findings change verdicts: second verdicts compared with first ones, question by question."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.agreement import proportion
from reviewer.core.estimate import FEWEST_CASES, Estimate
from reviewer.core.question import Question
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.statistics.label_rows import LabelRow

LabelPair = tuple[str, str]
"""A first and a second label."""


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
    bundle: StudyBundle, rows: Sequence[LabelRow], level: float = 0.95
) -> list[SecondVerdicts]:
    """One value per question, in the order of the questions; empty if nothing was ever revealed."""
    counted = [row for row in rows if row.place.role == "counted" and not row.verdict.slot.showing]
    if not any(row.verdict.slot.phase == "after" for row in counted):
        return []
    return [_of_question(question, counted, level) for question in bundle.questions]


def _of_question(question: Question, counted: Sequence[LabelRow], level: float) -> SecondVerdicts:
    rows = [row for row in counted if row.question.key == question.key]
    first = {_key(row): row.label for row in rows if row.verdict.slot.phase == "before" and row.label}
    after = {_key(row): row.label for row in rows if row.verdict.slot.phase == "after"}
    twice = [key for key in first if after.get(key)]
    pairs = [(said, again) for key, said in first.items() if (again := after.get(key))]
    changes = Counter(pair for pair in pairs if pair[0] != pair[1])
    ordered = dict(sorted(changes.items(), key=lambda change: (-change[1], change[0])))
    few = len({case for _, case in twice}) < FEWEST_CASES
    share = replace(proportion(changes.total(), len(pairs), level), few_cases=few)
    return SecondVerdicts(question, len(first), len(first.keys() & after.keys()), len(pairs), ordered, share)


def _key(row: LabelRow) -> LabelPair:
    return row.rater, row.place.case
