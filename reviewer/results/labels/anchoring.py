"""How far a machine rater moved raters who saw its answer after their own: anchoring, measured."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reviewer.agreement.clustered_ratios import ClusterSums, combination
from reviewer.agreement.proportions import WILSON, proportion, wilson_ends
from reviewer.core.estimate import NO_DATA, Estimate, Interval
from reviewer.core.question import Question
from reviewer.results.labels.asked_judges import AskedJudge
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import LabelRow
from reviewer.study.session.machine_rater import MACHINE_RATER


@dataclass(frozen=True, slots=True)
class SecondLook:
    """A rater's first answer, the machine's answer that they saw then, and their second answer.

    ``case`` is what the answer is about if several are about the same (see ``StudyBundle``).
    """

    case: str
    first: str
    machine: str
    second: str

    @property
    def towards(self) -> bool:
        """Whether the answer moved to that of the machine."""
        return self.first != self.machine == self.second

    @property
    def away(self) -> bool:
        """Whether the answer was that of the machine and is another one now."""
        return self.first == self.machine != self.second

    @property
    def elsewhere(self) -> bool:
        """Whether the answer changed, and was that of the machine neither before nor after."""
        return self.first != self.second and self.machine not in (self.first, self.second)


@dataclass(frozen=True)
class Anchoring:
    """Second answers to one question, or to all (None), after which raters had seen the machine's answer.

    ``unseen`` second answers were given without it. ``towards_share`` is the share of changes to the answer
    of the machine among raters who had given another one; ``away_share`` that of changes from its answer
    among those who had given the same. ``net`` is the number of changes towards it minus those away from it,
    by second answers. All intervals are by cases, since raters see the same machine's answer to a case.
    """

    question: Question | None
    looks: tuple[SecondLook, ...]
    unseen: int
    towards_share: Estimate
    away_share: Estimate
    net: Estimate

    @property
    def towards(self) -> int:
        """Changes to the answer of the machine."""
        return sum(look.towards for look in self.looks)

    @property
    def away(self) -> int:
        """Changes away from the answer of the machine."""
        return sum(look.away for look in self.looks)

    @property
    def elsewhere(self) -> int:
        """Other changes."""
        return sum(look.elsewhere for look in self.looks)


def anchoring(
    bundle: StudyBundle, rows: Iterable[LabelRow], judges: Sequence[AskedJudge], level: float = 0.95
) -> list[Anchoring]:
    """One value for each question and, if there are several, one for all; empty without second answers."""
    said = {judge.question.key: judge.votes for judge in judges if judge.is_machine_rater}
    first, second = dict[tuple[str, str, str], str](), dict[tuple[str, str, str], LabelRow]()
    for row in rows:
        key = row.question.key, row.rater, row.place.case
        if row.place.role != "counted" or row.verdict.slot.showing or not row.label:
            continue
        if row.verdict.slot.phase == "before":
            first[key] = row.label
        else:
            second[key] = row
    looks: dict[str, list[SecondLook]] = {}
    unseen = dict.fromkeys(said, 0)
    for (question, rater, case), row in second.items():
        votes = said.get(question, {}).get(case)
        if question not in said or (question, rater, case) not in first:
            continue
        if votes is None or votes.answer is None or not _saw(row):
            unseen[question] += 1
            continue
        look = SecondLook(
            bundle.same_case.get(case, case), first[question, rater, case], votes.answer, str(row.label)
        )
        looks.setdefault(question, []).append(look)
    asked = [question for question in bundle.questions if question.key in said and second]
    found = [_of(question, looks.get(question.key, []), unseen[question.key], level) for question in asked]
    every = [look for result in found for look in result.looks]
    return [*found, _of(None, every, sum(unseen.values()), level)] if len(found) > 1 else found


def _saw(row: LabelRow) -> bool:
    """Whether the machine's answer was visible when the second answer was given."""
    event = row.verdict.event
    return event is not None and MACHINE_RATER in (event.panes or ())


def _of(question: Question | None, looks: Sequence[SecondLook], unseen: int, level: float) -> Anchoring:
    others = [look for look in looks if look.first != look.machine]
    same = [look for look in looks if look.first == look.machine]
    return Anchoring(
        question,
        tuple(looks),
        unseen,
        share_of_moved(others, lambda look: look.towards, level),
        share_of_moved(same, lambda look: look.away, level),
        _net(looks, level),
    )


def share_of_moved(
    looks: Sequence[SecondLook], moved: Callable[[SecondLook], bool], level: float
) -> Estimate:
    """The share of second answers that moved, with an interval by cases.

    It is Wilson's for the number of cases where these do not differ: all moved, or none, or each has one
    second answer.
    """
    if not looks:
        return Estimate.undefined(NO_DATA, 0)
    moves, of = [moved(look) for look in looks], [look.case for look in looks]
    sums = ClusterSums.of_cases(moves, np.ones(len(looks)), of, least=0.0)
    if sums.present == len(looks):
        return proportion(sum(moves), len(looks), level).resting_on(sums.present)
    estimate = combination([sums], [1.0], level)
    if not sums.residuals().any():
        low, high = wilson_ends(sum(moves) / len(looks), sums.present, level)
        estimate = replace(estimate, interval=Interval(low, high, level, WILSON))
    return replace(estimate, n=len(looks)).resting_on(sums.present)


def _net(looks: Sequence[SecondLook], level: float) -> Estimate:
    moves = np.array([look.towards - look.away for look in looks], dtype=np.float64)
    sums = ClusterSums.of_cases(moves, np.ones(len(looks)), [look.case for look in looks])
    return combination([sums], [1.0], level)
