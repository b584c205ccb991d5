"""What effects say of detectors: a debate is set against one question by an exact paired test."""

from collections.abc import Sequence

import numpy as np
import pytest

from reviewer.core.errors import RequestError
from reviewer.protocols.evaluation import conditions_of
from reviewer.protocols.staged_dialogues.bias_texts import BiasTexts
from reviewer.protocols.staged_dialogues.biases import BIAS_LABELS
from reviewer.protocols.staged_dialogues.detection_evaluation import EVALUATION
from reviewer.report.document import Points
from reviewer.report.evaluation_report import SameNumbers, evaluation_document
from reviewer.results.outcomes.effect_estimates import effect_table
from reviewer.results.outcomes.effect_rows import EffectTable, ErrorMethod
from reviewer.results.outcomes.evaluated import EvaluatedCase, Evaluation
from reviewer.results.outcomes.evaluation_statistics import EffectSettings, compute_evaluation
from reviewer.results.outcomes.recognition import KeptAnswers, KnownLabels, Recognition
from reviewer.runs.evaluation.evaluation_settings import EvaluationSettings
from store.calls import CallUse
from store.records import Run

METHODS = ("one question", "debate")
NOT_BETTER = "The debate does not beat one question"


def detected(
    known: Sequence[str], labels: Sequence[tuple[str, ...]], methods: tuple[str, ...] = METHODS
) -> Evaluation:
    """A run in which these labels were read by each method; "" is unreadable."""
    cases = tuple(
        EvaluatedCase(place, "texts", str(place), str(place), "note", "model", bias, BIAS_LABELS, {}, False)
        for place, bias in enumerate(known)
    )
    codes = np.array(
        [[[BIAS_LABELS.index(label) if label else -1] for label in row] for row in labels], dtype=np.int8
    )
    chosen = {"method": methods}
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


@pytest.mark.slow
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


def test_report_says_where_the_debate_does_not_beat_one_question() -> None:
    settings = EffectSettings(method=ErrorMethod(resamples=100))
    statistics = compute_evaluation(made(20, 0.9, 0.3), [], [], settings)
    document = evaluation_document(statistics, {}, SameNumbers("", ""))
    points = [item for block in document.blocks if isinstance(block, Points) for item in block.items]
    assert sum(NOT_BETTER in item for item in points) == 1


def test_p_is_that_of_the_exact_sign_test_over_texts() -> None:
    known = ["Reactance"] * 10
    pairs = [("Unit bias", "Reactance")] * 5 + [("Reactance", "Unit bias")] + [("Reactance", "Reactance")] * 4
    effect = table_of(detected(known, pairs), "debate_gain").rows[0].effects["debate_gain"]
    assert effect.estimate.value == pytest.approx(0.4)
    assert effect.test.p == pytest.approx(2 * (1 + 6) / 2**6)


def test_debate_is_set_against_one_question_whatever_another_method_says() -> None:
    methods = ("one question", "candidates", "debate")
    run = detected(["Reactance"] * 3, [("Unit bias", "", "Reactance")] * 3, methods)
    effect = table_of(run, "debate_gain").rows[0].effects["debate_gain"]
    assert (effect.estimate.value, effect.runs, effect.unreadable) == (1.0, 3, 0)


def test_coin_is_right_once_in_73_and_texts_of_other_biases_do_not_count() -> None:
    run = detected(["Reactance", "Order bias", ""], [("Reactance", "Unit bias")] * 3)
    table = table_of(run, "right")
    right = table.rows[0].effects["right"]
    assert right.nulls["coin"] == pytest.approx(1 / 73)
    assert right.estimate.value == 0.5
    assert right.runs == 2
    assert any("1 text is known to show “Order bias”" in sentence for sentence in table.sentences)
    assert any("The bias of 1 text is not known" in sentence for sentence in table.sentences)


KNOWN = ["Reactance", "Reactance", "Unit bias", "none", "Order bias"]
GIVEN = ["Reactance", "Unit bias", "Unit bias", "Reactance", "Reactance"]


def known_labels(run: Evaluation) -> KnownLabels:
    return KnownLabels(run, ErrorMethod(resamples=100), np.ones(len(run.cases), dtype=np.bool_))


def recognised(run: Evaluation, kept: KeptAnswers | None = None) -> list[Recognition]:
    return known_labels(run).recognitions(kept or KeptAnswers())


def test_recognition_by_hand_leaves_out_labels_of_no_known_case() -> None:
    one, _, coin, always = recognised(detected(KNOWN, [(given, "none") for given in GIVEN]))
    assert one.accuracy.value == pytest.approx(2 / 4)
    reactance, unit, none = 2 * 1 / (2 + 2), 2 * 1 / (1 + 2), 0.0
    assert one.macro_f1.value == pytest.approx((reactance + unit + none) / 3)
    assert (coin.accuracy.value, coin.top.value) == (pytest.approx(1 / 73), pytest.approx(3 / 73))
    assert (always.answerer, always.accuracy.value) == ("always Reactance", 0.5)
    assert always.macro_f1.value == pytest.approx((2 * 2 / (2 + 4)) / 3)


THREE = ["Reactance", "Reactance", "Unit bias", "Unit bias", "IKEA effect", "IKEA effect"]
ALWAYS_UNTESTED = [("Belief bias",) * 2] * len(THREE)


def test_labels_without_a_case_are_counted_and_have_no_part_in_macro_f1() -> None:
    labels = [(bias, bias if place else "Belief bias") for place, bias in enumerate(THREE)]
    known = known_labels(detected(THREE, labels))
    one, debate, _, always = rows = known.recognitions(KeptAnswers())
    assert one.macro_f1.value == 1.0, "69 biases and none have no case, and no 0"
    assert debate.macro_f1.value == pytest.approx((2 / 3 + 1 + 1) / 3)
    assert always.macro_f1.value == pytest.approx((2 * 2 / (2 + 6)) / 3)
    assert known.sentences(rows) == [
        "Macro-F1 is the mean over 3 labels that some case is known to have: IKEA effect, Reactance and "
        "Unit bias.",
        "70 of 73 labels are not tested, since no case is known to have one. These do not count as 0; an "
        "answer that gives one is only an error.",
    ]


def test_answers_of_untested_labels_alone_reach_0() -> None:
    one, *_ = recognised(detected(THREE, ALWAYS_UNTESTED))
    assert (one.accuracy.value, one.macro_f1.value, one.macro_f1.n) == (0.0, 0.0, len(THREE))


def test_labels_are_not_listed_where_many_are_tested() -> None:
    known = known_labels(detected(BIAS_LABELS, [(bias, bias) for bias in BIAS_LABELS]))
    assert known.sentences([]) == ["Macro-F1 is the mean over 73 labels that some case is known to have."]


def test_known_label_among_the_three_likeliest_and_calls_of_an_answer_are_counted() -> None:
    place = ("m1", "debate")
    kept = KeptAnswers(
        {place: {0: [["Unit bias", "none", "Reactance"]], 1: [["a", "b", "c", "Reactance"]], 4: [["none"]]}},
        {place: [["one", "two"], ["two"]]},
        {"one": CallUse(10, 0.5), "two": CallUse(30, None)},
    )
    debate = recognised(detected(KNOWN, [(given, given) for given in GIVEN]), kept)[1]
    assert (debate.top.value, debate.calls, debate.tokens, debate.cost) == (0.5, 1.5, 35.0, None)


def test_confusions_add_up_over_each_known_label() -> None:
    run = detected(KNOWN, [(given, given) for given in GIVEN])
    rows = [
        (row.known, row.given, row.share)
        for row in known_labels(run).confusions()
        if row.condition == "debate"
    ]
    assert rows == [
        ("Reactance", "Reactance", 0.5),
        ("Reactance", "Unit bias", 0.5),
        ("Unit bias", "Unit bias", 1.0),
        ("none", "Reactance", 1.0),
    ]


def test_run_without_a_known_label_is_refused() -> None:
    with pytest.raises(RequestError, match="no case that counts and whose right label is known"):
        recognised(detected([""], [("none", "none")]))


def test_model_without_a_readable_answer_has_no_values() -> None:
    one, debate, *_ = recognised(detected(KNOWN, [("", "none")] * 5))
    assert (one.accuracy.value, one.macro_f1.value, one.cases, one.unreadable) == (None, None, 0, 4)
    assert debate.accuracy.value == 0.25
