"""What effects say of detectors: a debate is set against one question by an exact paired test."""

from collections.abc import Sequence

import numpy as np
import pytest

from reviewer.protocols.evaluation import conditions_of
from reviewer.protocols.staged_dialogues.bias_texts import BiasTexts
from reviewer.protocols.staged_dialogues.biases import BIAS_LABELS
from reviewer.protocols.staged_dialogues.detection_evaluation import EVALUATION
from reviewer.results.outcomes.effect_rows import EffectTable, ErrorMethod
from reviewer.results.outcomes.effects import effect_table
from reviewer.results.outcomes.evaluated import EvaluatedCase, Evaluation
from reviewer.runs.evaluation.evaluation_settings import EvaluationSettings
from store.records import Run

METHODS = ("one question", "debate")
NOT_BETTER = "The debate does not beat one question"


def detected(known: Sequence[str], labels: Sequence[tuple[str, str]]) -> Evaluation:
    """A run in which these labels were read by one question and by the debate."""
    cases = tuple(
        EvaluatedCase(place, "texts", str(place), str(place), "note", "model", bias, BIAS_LABELS, {}, False)
        for place, bias in enumerate(known)
    )
    codes = np.array([[[BIAS_LABELS.index(label)] for label in both] for both in labels], dtype=np.int8)
    chosen = {"method": METHODS}
    settings = EvaluationSettings(datasets=("texts",), conditions=chosen)
    run = Run(
        procedure="evaluate",
        name="detected",
        protocol="bias-texts",
        settings={},
        started_at="2026-01-01T00:00:00.000Z",
        created_by="somebody",
    )
    conditions = conditions_of(EVALUATION.factors, chosen)
    return Evaluation(run, settings, BiasTexts(), EVALUATION, cases, ("m1",), conditions, {"m1": codes})


def table_of(run: Evaluation, *measures: str) -> EffectTable:
    return effect_table(run, by=("model",), measures=measures, method=ErrorMethod(resamples=100))


def made(number: int, one_right: float, debate_right: float, seed: int = 0) -> Evaluation:
    """A run over texts of two biases in which either method is right so often, whatever the other says."""
    chance = np.random.default_rng(seed)
    known = [("Reactance", "none")[place % 2] for place in range(number)]
    labels = [
        (
            bias if chance.random() < one_right else "Unit bias",
            bias if chance.random() < debate_right else "IKEA effect",
        )
        for bias in known
    ]
    return detected(known, labels)


def test_debate_without_signal_is_said_not_to_beat_one_question() -> None:
    said = [
        any(
            NOT_BETTER in sentence for sentence in table_of(made(60, 0.5, 0.5, seed), "debate_gain").sentences
        )
        for seed in range(20)
    ]
    assert sum(said) >= 19


def test_debate_that_wins_is_not_said_to_lose() -> None:
    table = table_of(made(60, 0.3, 0.9), "debate_gain")
    assert not any(NOT_BETTER in sentence for sentence in table.sentences)
    effect = table.rows[0].effects["debate_gain"]
    assert effect.test.p is not None
    assert effect.test.p < 0.001
    assert effect.forward > effect.backward


def test_worse_debate_does_not_beat_one_question_although_they_differ() -> None:
    sentences = table_of(made(60, 0.9, 0.3), "debate_gain").sentences
    (sentence,) = (each for each in sentences if NOT_BETTER in each)
    assert sentence.startswith("m1: The debate does not beat one question (exact paired test: p = 0.000; ")
    assert "that only one question gets right" in sentence


def test_p_is_that_of_the_exact_sign_test_over_texts() -> None:
    known = ["Reactance"] * 10
    pairs = [("Unit bias", "Reactance")] * 5 + [("Reactance", "Unit bias")] + [("Reactance", "Reactance")] * 4
    effect = table_of(detected(known, pairs), "debate_gain").rows[0].effects["debate_gain"]
    assert effect.estimate.value == pytest.approx(0.4)
    assert effect.test.p == pytest.approx(2 * (1 + 6) / 2**6)


def test_coin_is_right_once_in_73_and_texts_of_other_biases_do_not_count() -> None:
    run = detected(["Reactance", "Order bias", ""], [("Reactance", "Unit bias")] * 3)
    table = table_of(run, "right")
    right = table.rows[0].effects["right"]
    assert right.nulls["coin"] == pytest.approx(1 / 73)
    assert right.estimate.value == 0.5
    assert right.runs == 2
    assert any("1 text is known to show “Order bias”" in sentence for sentence in table.sentences)
    assert any("The bias of 1 text is not known" in sentence for sentence in table.sentences)
