"""Evaluations of dilemmas as arrays, without a store."""

import csv
from collections.abc import Mapping, Sequence

import numpy as np

from reviewer.protocols.evaluation import conditions_of
from reviewer.protocols.probe_swe.dilemma_protocol import ProbeSwe
from reviewer.protocols.probe_swe.evaluation import DilemmaEvaluation, DilemmaFacts
from reviewer.results.outcomes.evaluated import EvaluatedCase, Evaluation, Int8Array
from reviewer.runs.evaluation.evaluation_settings import EvaluationSettings
from store.records import Run
from tests.shared_data import shared_file

PLAN = DilemmaEvaluation()
CODES = {"A": 0, "B": 1, "?": -1, "-": -2}
BOTH_ORDERS = {"order": ("as written", "exchanged")}


def a_dilemma(
    place: int,
    right: str = "A",
    group: str = "anchoring bias",
    generator: str = "model",
    steps: float | None = None,
) -> EvaluatedCase:
    """A case of which only this is known."""
    sizes = {} if steps is None else {"inference_steps": steps}
    facts = DilemmaFacts(right)
    return EvaluatedCase(
        place, "pairs", str(place), str(place), group, generator, facts, ("A", "B"), sizes, False
    )


def an_evaluation(
    cases: Sequence[EvaluatedCase],
    labels: Mapping[str, Int8Array],
    chosen: Mapping[str, tuple[str, ...]] | None = None,
) -> Evaluation:
    """A run with these labels by model, of shape (cases, conditions, repeats)."""
    conditions = conditions_of(PLAN.factors, chosen or {})
    repeats = next(iter(labels.values())).shape[2]
    settings = EvaluationSettings(datasets=("pairs",), conditions=dict(chosen or {}), repeats=repeats)
    run = Run(
        procedure="evaluate",
        name="made up",
        protocol="probe-swe",
        settings={},
        started_at="2026-01-01T00:00:00.000Z",
        created_by="somebody",
    )
    return Evaluation(run, settings, ProbeSwe(), PLAN, tuple(cases), tuple(labels), conditions, labels)


def coded(*cases: tuple[str, str]) -> Int8Array:
    """Letters of the runs of the unbiased and the biased text of each case."""
    return np.array([[[CODES[letter] for letter in text] for text in case] for case in cases], dtype=np.int8)


def made_up_decisions(models: Sequence[str] = ("gpt-4o-mini",)) -> Evaluation:
    """The shared decisions, which agree with the published totals, given by each of the models."""
    path = shared_file("evaluation/decisions.own.gpt-4o-mini.csv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    cases = [
        a_dilemma(
            place, row["right_option"], row["group"], ("one", "two")[place % 2], float(row["inference_steps"])
        )
        for place, row in enumerate(rows)
    ]
    labels = coded(*((row["unbiased"], row["biased"]) for row in rows))
    return an_evaluation(cases, dict.fromkeys(models, labels))
