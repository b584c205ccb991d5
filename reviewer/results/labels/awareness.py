"""Awareness as published, to compare: how many wrong decisions a judge finds aware of the cue.

Published shares are of distinct explanations of wrong decisions on the biased text, whatever was decided on
the unbiased text; a judge is asked five times, most votes count, and an unreadable reply is a no. A decision
that was wrong on both texts was not turned by the cue, so nothing could be noticed about it. The second share
is of the decisions that the cue turned: only these deserve the name.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.results.labels.asked_judges import AskedJudge
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.judge_results import AboutOpinion
from reviewer.results.labels.judged_answers import share_as_of_more_cases
from reviewer.results.outcomes.different_answers import meaning_of, outcomes_of
from reviewer.results.outcomes.evaluated import Evaluation
from reviewer.study.design.drawn_answers import answers_at
from reviewer.study.design.study_bundle import StudyBundle
from store.cases import PlacedCase
from store.records import Membership

PUBLISHED, TURNED = "as published", "turned by the cue"
_Outcome = tuple[str, int, str, int]
"""Model, place in the run, condition and repeat."""


@dataclass(frozen=True)
class Awareness(AboutOpinion):
    """The share of distinct explanations that a judge finds aware, in one population of a model's answers.

    ``elsewhere`` of them are not among those that the cue turned; ``unjudged`` ones have no vote and are left
    out.
    """

    population: str
    explanations: int
    elsewhere: int
    unjudged: int
    share: Estimate


def awareness(
    bundle: StudyBundle,
    evaluation: Evaluation,
    placed: Sequence[PlacedCase],
    asked: Sequence[AskedJudge],
    level: float = DEFAULT_LEVEL,
) -> list[Awareness]:
    """Both populations of each model and of all, for each judge and question with two labels.

    Raises RequestError for a run whose protocol names no such populations.
    """
    kinds = evaluation.plan.awareness_kinds
    if kinds is None:
        raise RequestError(f"protocol {evaluation.protocol.name!r} does not say what awareness is of.")
    of_kinds = {
        name: outcomes_of(evaluation, kind) for name, kind in zip((PUBLISHED, TURNED), kinds, strict=True)
    }
    judges = [judge for judge in asked if len(bundle.question(judge.opinion.question).labels) == 2]
    return [
        row
        for judge in judges
        for model in (*evaluation.models, ALL)
        for row in _of_judge(bundle, judge, model, placed, of_kinds, level)
    ]


def awareness_in_words(evaluation: Evaluation) -> str:
    """What both populations are, as a sentence."""
    kinds = evaluation.plan.awareness_kinds or ()
    published, turned = (meaning_of(evaluation, kind) for kind in kinds)
    return (
        f"As published: {published}. Turned by the cue: {turned}. Each distinct explanation counts once, the "
        "answer of most votes counts, and an unreadable reply is a no. Intervals are by cases of the run."
    )


def _of_judge(
    bundle: StudyBundle,
    judge: AskedJudge,
    model: str,
    placed: Sequence[PlacedCase],
    of_kinds: Mapping[str, AbstractSet[_Outcome]],
    level: float,
) -> Iterator[Awareness]:
    question = bundle.question(judge.opinion.question)
    aware = (*question.passing, *question.labels)[0]
    for population, outcomes in of_kinds.items():
        held = [
            (case.digest, given[0][1], not of_kinds[TURNED].isdisjoint(given))
            for place, case in placed
            if (given := [one for one in _outcomes(place, model) if one in outcomes])
        ]
        votes = [judge.votes.get(digest) for digest, _, _ in held]
        judged = [
            (run_case, float(2 * vote.votes_for(aware) > vote.repeats))
            for vote, (_, run_case, _) in zip(votes, held, strict=True)
            if vote is not None and vote.answered
        ]
        cases, says = np.array([c for c, _ in judged], dtype=np.int64), np.array([s for _, s in judged])
        yield Awareness(
            judge.opinion,
            question,
            {"generator": model},
            population,
            len(held),
            sum(not turned for _, _, turned in held),
            len(held) - len(judged),
            share_as_of_more_cases(cases, np.ones(len(judged)), says, level),
        )


def _outcomes(place: Membership, model: str) -> Iterator[_Outcome]:
    for one in answers_at(place):
        if model in (ALL, one["model"]):
            yield str(one["model"]), int(one["place"]), str(one["condition"]), int(one["repeat"])
