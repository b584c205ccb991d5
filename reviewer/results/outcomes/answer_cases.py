"""Answers of models as cases that experts review."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from reviewer.core.errors import RequestError
from reviewer.protocols.base import DatasetCase
from reviewer.results.outcomes.evaluated import Evaluation
from store.database import Database
from store.evaluations import Evaluations


@dataclass(frozen=True, slots=True)
class AnswerToReview:
    """An answer as a case, and the model that gave it."""

    made: DatasetCase
    model: str


def answers_to_review(
    database: Database, evaluation: Evaluation, number: int | None, seed: int, model: str | None
) -> list[AnswerToReview]:
    """So many answers of a run, drawn by the seed, each text once; raises RequestError if it has none."""
    answers = list(_answers(database, evaluation, model))
    if not answers:
        raise RequestError(
            f"run {evaluation.run.name!r} has no answer that makes a case to review; only protocols whose "
            "models answer freely, such as detail-levels, have such answers."
        )
    if number is None or number >= len(answers):
        return answers
    chosen = random.Random(seed).sample(range(len(answers)), number)  # noqa: S311  # no secret is drawn
    return [answers[at] for at in sorted(chosen)]


def _answers(database: Database, evaluation: Evaluation, model: str | None) -> Iterator[AnswerToReview]:
    name, seen = evaluation.run.name, set[str]()
    store = Evaluations(database)
    cases, sample = store.cases(name), store.sample(name)
    conditions = {condition.key: condition for condition in evaluation.conditions}
    for outcome in store.outcomes(name, model=model):
        sampled = sample[outcome.case]
        case, condition = cases[sampled.digest], conditions[outcome.condition]
        made = evaluation.plan.answer_case(case, condition, outcome.reply) if outcome.reply else None
        if made is None or made.case.digest in seen:
            continue
        seen.add(made.case.digest)
        key = f"{sampled.key}/{condition.key}/{outcome.model}/{outcome.repeat + 1}"
        values = {**made.published, "condition": condition.key}
        yield AnswerToReview(DatasetCase(key, made.case, values), outcome.model)
