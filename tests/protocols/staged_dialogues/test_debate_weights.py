"""Weights learnt from debates: a planted criterion, none, sides that always win, and ten thousand debates."""

import numpy as np
import pytest

from reviewer.core.errors import RequestError
from reviewer.core.source_text import toml_content
from reviewer.protocols.staged_dialogues.debate_scores import CRITERIA
from reviewer.protocols.staged_dialogues.debate_weights import (
    LabelledDebate,
    labelled_debates,
    learnt_weights,
    settings_text,
)
from reviewer.protocols.staged_dialogues.detection import DetectionSettings
from reviewer.protocols.staged_dialogues.detection_evaluation import EVALUATION
from tests.detected_texts import BETTER, a_bias_text, answered, known_bias


def debates(number: int, planted: dict[str, float], seed: int = 0) -> list[LabelledDebate]:
    """Debates on half as many texts, in which the right side has higher scores on planted criteria."""
    chance = np.random.default_rng(seed)
    shift = np.array([planted.get(name, 0.0) for name in CRITERIA])
    made = []
    for place in range(number):
        first = bool(chance.integers(2))
        difference = chance.normal(0, 2, len(CRITERIA)) + (shift if first else -shift)
        made.append(LabelledDebate(f"text {place // 2}", tuple(map(float, difference)), first))
    return made


def test_planted_criteria_are_learnt_with_their_signs() -> None:
    weights, learnt = learnt_weights(debates(400, {"logic": 2.0, "persuasion": -2.0}))
    by_name = dict(zip(CRITERIA, weights, strict=True))
    assert by_name["logic"] > 0.3
    assert by_name["persuasion"] < -0.3
    assert all(abs(by_name[name]) < 0.1 for name in CRITERIA if name not in ("logic", "persuasion"))
    assert learnt.held_out > 0.85 > 0.6 > learnt.equal
    assert sum(map(abs, weights)) == pytest.approx(1, abs=1e-5)


def test_held_out_accuracy_without_signal_is_that_of_a_coin() -> None:
    accuracies = [learnt_weights(debates(200, {}, seed))[1].held_out for seed in range(20)]
    assert np.mean(accuracies) == pytest.approx(0.5, abs=0.04)


def test_exchanged_sides_teach_the_same() -> None:
    made = debates(100, {"support": 1.0})
    exchanged = [
        LabelledDebate(debate.text, tuple(-each for each in debate.difference), not debate.first_is_right)
        for debate in made
    ]
    assert learnt_weights(exchanged)[0] == learnt_weights(made)[0]


def test_debates_all_won_by_one_side_or_on_one_text_are_refused() -> None:
    made = debates(40, {"logic": 1.0})
    for side, name in ((True, "first"), (False, "second")):
        with pytest.raises(RequestError, match=f"the {name} side was right in all"):
            learnt_weights([debate for debate in made if debate.first_is_right is side])
    with pytest.raises(RequestError, match="such debates on 1 text"):
        learnt_weights(made[:2])
    with pytest.raises(RequestError, match="such debates on 0 texts"):
        learnt_weights([])


def test_weights_that_prove_nothing_are_marked_as_doubtful() -> None:
    def doubts(made: list[LabelledDebate]) -> list[str]:
        lines = settings_text(*learnt_weights(made), "m1").splitlines()
        return [line for line in lines if line.startswith("# Doubtful")]

    assert not doubts(debates(60, {"logic": 2.0, "persuasion": -2.0}))
    assert ["59 debates" in doubt for doubt in doubts(debates(59, {"logic": 2.0, "persuasion": -2.0}))] == [
        True
    ]
    (doubt,) = doubts(debates(200, dict.fromkeys(CRITERIA, 0.5)))
    assert "nothing shows that they are better" in doubt


def test_debates_of_transcripts_teach_the_criterion_that_referees_score_rightly() -> None:
    made = []
    for number in range(60):
        read, _ = answered(EVALUATION, a_bias_text(number), "debate")
        made += labelled_debates(str(number), known_bias(number), read.reply)
    weights, learnt = learnt_weights(made)
    assert len(made) == 60
    assert max(zip(weights, CRITERIA, strict=True))[1] == BETTER
    assert learnt.held_out > learnt.equal
    text = settings_text(weights, learnt, "m1")
    settings = DetectionSettings.model_validate(toml_content(text, "weights"))
    assert (settings.weights.values, settings.learnt) == (weights, learnt)


def test_debates_without_the_known_bias_or_with_prose_teach_nothing() -> None:
    read, _ = answered(EVALUATION, a_bias_text(5), "debate")
    assert list(labelled_debates("5", "none", read.reply)) == []
    assert list(labelled_debates("5", known_bias(5), read.reply.replace('"logic"', '"wit"'))) == []
