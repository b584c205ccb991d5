"""How answers are drawn for a study: numbers, chances, and at most a few of each case."""

from collections import Counter

import pytest

from reviewer.core.errors import RequestError
from reviewer.results.outcomes.answer_draw import DifferentAnswer, DrawSize, draw_answers


def answers(cases: int, per_model: dict[str, int]) -> list[DifferentAnswer]:
    """So many different answers of each model to each of some cases of two groups."""
    return [
        DifferentAnswer(case, f"group {case % 2}", "biased", f"{model} {n}", "A", "", ((model, n),))
        for case in range(cases)
        for model, number in per_model.items()
        for n in range(number)
    ]


def test_so_many_of_each_model_and_group_and_one_of_each_case() -> None:
    draw = draw_answers(answers(40, {"m": 3, "k": 2}), DrawSize(per_group=8), seed=1)
    assert Counter(one.stratum for one in draw.drawn) == dict.fromkeys(draw.sizes, 8)
    assert set(draw.sizes) == {("m", "group 0"), ("m", "group 1"), ("k", "group 0"), ("k", "group 1")}
    assert draw.sizes["m", "group 0"] == 60
    assert max(Counter(one.answer.case for one in draw.drawn).values()) == 1
    assert draw == draw_answers(answers(40, {"m": 3, "k": 2}), DrawSize(per_group=8), seed=1)
    assert draw != draw_answers(answers(40, {"m": 3, "k": 2}), DrawSize(per_group=8), seed=2)


@pytest.mark.parametrize("per_case", [1, 2, 3, 4])
def test_the_stated_chances_are_those_of_the_draw(per_case: int) -> None:
    """Weights by the stated chances estimate how many answers there are, over many draws."""
    held = [*answers(10, {"m": 4, "k": 1}), *answers(6, {"n": 2})]
    of_model: dict[str, list[float]] = {"m": [], "k": [], "n": []}
    for seed in range(400):
        drawn = draw_answers(held, DrawSize(per_case=per_case), seed).drawn
        for model in of_model:
            of_model[model].append(sum(1 / one.chance for one in drawn if one.stratum[0] == model))
        assert max(Counter(one.answer.case for one in drawn).values()) <= per_case
    means = {model: sum(sums) / len(sums) for model, sums in of_model.items()}
    assert means == pytest.approx({"m": 40, "k": 10, "n": 12}, rel=0.07)


def test_the_chances_are_exact_where_only_some_answers_that_stayed_are_drawn() -> None:
    """Ten cases have an answer of both models, ten of the first alone; five of each model are drawn."""
    held = [one._replace(group="g") for one in (*answers(20, {"m": 1}), *answers(10, {"k": 1}))]
    draw = draw_answers(held, DrawSize(per_group=5), seed=1)
    chances = {(one.stratum[0], one.answer.case < 10): one.chance for one in draw.drawn}
    assert chances.keys() >= {("m", False), ("k", True)}
    assert chances["m", False] == pytest.approx(5 / 15)
    assert chances["k", True] == pytest.approx(1 / 2)
    assert chances.get(("m", True), 1 / 6) == pytest.approx(1 / 2 * 5 / 15)


def test_too_few_answers_name_the_model_and_the_group() -> None:
    with pytest.raises(RequestError, match=r"model 'k' has 5 answers to draw in 'group 0'.*--per-group 5"):
        draw_answers(
            [*answers(40, {"m": 1}), *answers(10, {"k": 1})][::-1], DrawSize(per_group=6, per_case=2), 1
        )
    with pytest.raises(RequestError, match=r"there are 10 answers to draw.*you asked for 11"):
        draw_answers(answers(10, {"k": 2}), DrawSize(total=11), 1)


def test_a_total_is_spread_over_models_and_groups() -> None:
    draw = draw_answers(answers(40, {"m": 1, "k": 1}), DrawSize(total=20), seed=1)
    assert set(Counter(one.stratum for one in draw.drawn).values()) == {5}


def test_an_answer_that_two_models_gave_is_of_one_of_them() -> None:
    both = [DifferentAnswer(n, "g", "biased", "same", "A", "", (("a", 0), ("b", 0))) for n in range(40)]
    draw = draw_answers(both, DrawSize(), seed=3)
    assert sum(draw.sizes.values()) == 40
    assert {model for model, _ in draw.sizes} == {"a", "b"}
