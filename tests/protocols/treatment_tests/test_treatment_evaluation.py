"""How tests are put to models, and how decisions are read."""

from collections import Counter

import pytest

from reviewer.core.errors import InputError
from reviewer.protocols.evaluation import Condition
from reviewer.protocols.treatment_tests.evaluation import EVALUATION, MEASURES, _decision
from reviewer.runs.engine.work_runner import requests_of
from reviewer.runs.run_setup import read_prompts
from tests.treatment_cases import OPTIONS, a_test

CONTROL = Condition.of(version="control", order="balanced")
CASES = [a_test(number, "one" if number < 14 else "two", k=1 if number % 3 else -1) for number in range(30)]


def test_orders_are_balanced_within_each_group_and_each_k() -> None:
    plan = EVALUATION.for_sample(CASES)
    orders = {case.digest: plan.facts(case, {}).order for case in CASES}
    cells = Counter((case.group, case.payload["k"], orders[case.digest]) for case in CASES)
    for group in ("one", "two"):
        for k in (1, -1):
            assert abs(cells[group, k, "plain"] - cells[group, k, "reversed"]) <= 1
        whole = Counter(orders[case.digest] for case in CASES if case.group == group)
        assert abs(whole["plain"] - whole["reversed"]) <= 1
    again = EVALUATION.for_sample(CASES)
    assert [again.facts(case, {}) for case in CASES] == [plan.facts(case, {}) for case in CASES]


def test_a_reversed_order_is_shown_asked_for_and_read_back() -> None:
    plan, prompts = EVALUATION.for_sample(CASES), read_prompts(EVALUATION.prompts)
    case = next(case for case in CASES if plan.facts(case, {}).order == "reversed")
    request, further = requests_of(plan.answering(prompts, case, CONTROL), "I take the last.")
    assert f"Option 1: {OPTIONS[-1]}\n" in request.messages[-1].content
    assert [message.role for message in further.messages] == ["user", "assistant", "user"]
    assert "from 1 to 7" in further.messages[-1].content
    read = plan.read(case, CONTROL, "Option 1")
    assert (read.label, read.why) == ("6", "reversed order")
    plain = Condition.of(version="control", order="plain")
    assert plan.read(case, plain, "Option 1").label == "0"


def test_measures_of_two_decisions() -> None:
    facts = EVALUATION.facts(a_test(0, k=-1), {})
    rest = Condition.of(order="balanced")
    values = {
        measure.key: measure.value(facts, rest, {"control": "1", "treatment": "5"}).value
        for measure in MEASURES
    }
    assert values == {"score": 0.8, "size": 0.8, "shift": pytest.approx(2 / 3), "failed": 0}
    failed = MEASURES[-1].value(facts, rest, {"control": "", "treatment": "5"})
    assert failed.value == 1


def test_what_misleads_is_said() -> None:
    shifted = a_test(1, "Planning Fallacy", x1=-4, x2=-3)
    facts = [EVALUATION.facts(case, {}) for case in (a_test(0), shifted)]
    said = EVALUATION.cautions(facts, [CONTROL])
    assert "shows no bias by itself" in said[0]
    assert "A coin does not score 0 on Planning Fallacy" in said[1]
    assert len(EVALUATION.cautions(facts[:1], [CONTROL])) == 1
    plain = Condition.of(version="control", order="plain")
    assert "Only one order" in EVALUATION.cautions(facts[:1], [plain])[-1]


@pytest.mark.parametrize("value", ["\u0660\u0661", "9" * 5000, "\u00b2", "-1"])
def test_a_decision_in_other_digits_or_of_thousands_is_refused(value: str) -> None:
    with pytest.raises(InputError, match="not the number of an option from 0"):
        _decision(value, "line 1")
