"""What measures say of answers at five levels, and how levels are asked."""

import pytest
from pydantic import ValidationError

from reviewer.protocols.detail_levels.evaluation import EVALUATION, MEASURES
from reviewer.protocols.evaluation import Condition, conditions_of
from reviewer.protocols.procedure import Sampling
from reviewer.runs.engine.work_runner import requests_of
from reviewer.runs.run_setup import read_prompts
from tests.level_cases import CHOICES, KEYS, an_instance

REST = Condition(())
BY_KEY = {measure.key: measure for measure in MEASURES}
SHARES = ("biased", "unbiased", "unrelated", "not_read")


def test_each_answer_counts_in_one_of_four_shares() -> None:
    for label in ("A", "B", "C", ""):
        shares = [BY_KEY[key].value(KEYS, REST, {"": label}).value for key in SHARES]
        assert sum(shares) == 1
        assert BY_KEY["resistance"].value(KEYS, REST, {"": label}).value == 1 - shares[0]


@pytest.mark.parametrize(("labels", "slope"), [("BBAAA", 0.3), ("AAAAA", 0), ("AAABB", -0.3), ("B" * 4, 0)])
def test_a_slope_is_that_of_a_line_through_the_levels(labels: str, slope: float) -> None:
    taken = {str(level): label for level, label in enumerate(labels, 1)}
    assert BY_KEY["resistance_slope"].value(KEYS, REST, taken).value == pytest.approx(slope)


def test_one_level_has_no_slope() -> None:
    assert BY_KEY["unbiased_slope"].value(KEYS, REST, {"3": "A"}).weight == 0


def test_each_level_is_asked_with_its_text_and_a_temperature_of_its_own() -> None:
    case, prompts = an_instance(0), read_prompts(EVALUATION.prompts)
    chosen = conditions_of(EVALUATION.factors, {"level": ["5"], "temperature": ["of the run", "0.8"]})
    works = [EVALUATION.answering(prompts, case, condition) for condition in chosen]
    requests = [request for work in works for request in requests_of(work, "")]
    sent = [Sampling(temperature=0.2).applied(request, 0) for request in requests]
    assert [request.temperature for request in sent] == [0.2, 0.8]
    (message,) = sent[0].messages
    assert all(choice in message.content for choice in CHOICES)
    assert message.content.startswith("Trip 0: how do you travel? Think. Think. Think. Think.\n")


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"levels": ["a", "b", "c", "d"]}, "has 4 levels; give 5"),
        ({"choices": [{"text": "yes", "key": "biased"}]}, "has 1 choice; give 2 to 6"),
        (
            {"choices": [{"text": "yes", "key": "biased"}, {"text": "Yes", "key": "unbiased"}]},
            "two choices read the same",
        ),
        (
            {"choices": [{"text": "yes", "key": "biased"}, {"text": "no", "key": "biased"}]},
            "no biased or no unbiased choice",
        ),
    ],
)
def test_what_an_instance_lacks_is_said(given: dict[str, object], wrong: str) -> None:
    with pytest.raises(ValidationError, match=wrong):
        an_instance(0, **given)


def test_cases_of_one_template_are_one_cluster() -> None:
    clusters = [EVALUATION.cluster(an_instance(number)) for number in range(4)]
    assert [clusters.count(cluster) for cluster in clusters] == [2] * 4
