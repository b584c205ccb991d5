"""Which votes on an item count, where two raters vote on each case and a third where these two differ."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from reviewer.study.design.study_design import StudyDesign

_Vote = TypeVar("_Vote")


def counting_votes(
    design: StudyDesign, case: str, votes: Sequence[_Vote], of: Callable[[_Vote], tuple[str, str]]
) -> list[_Vote]:
    """The votes on an item that count; ``of`` says of a vote who gave it and its label.

    Without third votes these are all votes. Else they are the fixed ones, and where both are given and
    differ, the third vote: that of the first rater who was asked for it and gave one. Most third votes are on
    cases on which the two agree, and count nowhere.
    """
    if not design.third:
        return [*votes]
    fixed = [vote for vote in votes if design.has_fixed_vote(of(vote)[0], case)]
    third = third_vote(design, case, dict(map(of, votes)))
    return [*fixed, *(vote for vote in votes if third is not None and of(vote)[0] == third)]


def third_vote(design: StudyDesign, case: str, given: Mapping[str, str]) -> str | None:
    """Whose third vote decides an item with these labels by rater; None if there is none."""
    if not fixed_votes_differ(design, case, given):
        return None
    return next((rater for rater in design.third_raters.get(case, ()) if rater in given), None)


def fixed_votes_differ(design: StudyDesign, case: str, given: Mapping[str, str]) -> bool:
    """Whether both fixed votes on an item are given and differ."""
    fixed = [given[rater] for rater in design.panels.get(case, ()) if rater in given]
    return len(fixed) > 1 and len({*fixed}) > 1


def has_both_votes(design: StudyDesign, case: str, raters: Iterable[str]) -> bool:
    """Whether all of the fixed votes on a case are among those of these raters."""
    return {*design.panels.get(case, ())} <= {*raters}
