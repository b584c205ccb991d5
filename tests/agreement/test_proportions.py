"""Wilson, Newcombe, the pooled z and Holm against worked examples."""

from typing import Any

import pytest

from reviewer.agreement.proportions import difference, holm, proportion, two_proportion_z, wilson
from tests.agreement.vectors import by_name

EXAMPLES = by_name("proportions.json")
SINGLE = [each for each in EXAMPLES if each.values[0]["kind"] == "wilson95"]
PAIRS = [each for each in EXAMPLES if each.values[0]["kind"] == "two_proportion"]


def test_all_examples_are_there() -> None:
    assert (len(SINGLE), len(PAIRS)) == (9, 8)


@pytest.mark.parametrize("example", SINGLE)
def test_wilson(example: dict[str, Any]) -> None:
    got = proportion(example["x"], example["n"])
    assert got.value == pytest.approx(example["expected"]["rate"], abs=example["tolerance"])
    assert got.interval == wilson(example["x"], example["n"])
    assert got.interval is not None
    ends = [got.interval.low, got.interval.high]
    assert ends == pytest.approx(example["expected"]["ci95"], abs=example["tolerance"])


@pytest.mark.parametrize("example", PAIRS)
def test_two_proportions(example: dict[str, Any]) -> None:
    samples = example["x1"], example["n1"], example["x2"], example["n2"]
    expected, tolerance = example["expected"], example["tolerance"]
    gap, test = difference(*samples), two_proportion_z(*samples)
    assert gap.value == pytest.approx(expected["diff"], abs=tolerance)
    assert gap.interval is not None
    assert [gap.interval.low, gap.interval.high] == pytest.approx(expected["newcombe95"], abs=tolerance)
    assert test.z == (expected["z_pooled"] and pytest.approx(expected["z_pooled"], abs=tolerance))
    assert test.p == (expected["p_two_sided"] and pytest.approx(expected["p_two_sided"], abs=tolerance))
    assert (test.reason is None) == (test.z is not None)


def test_why_a_comparison_is_undefined() -> None:
    assert two_proportion_z(40, 40, 40, 40).reason == "one category"
    assert two_proportion_z(0, 0, 3, 4).reason == "no data"
    assert difference(0, 0, 3, 4).reason == "no data"


def test_ends_are_exact() -> None:
    assert wilson(0, 7).low == 0.0
    assert wilson(7, 7).high == 1.0


def test_other_levels() -> None:
    narrow, wide = wilson(8, 10, level=0.5), wilson(8, 10, level=0.99)
    assert wide.low < narrow.low < 0.8 < narrow.high < wide.high
    assert (narrow.level, wide.level) == (0.5, 0.99)


@pytest.mark.parametrize(("passed", "n"), [(-1, 3), (4, 3)])
def test_no_proportion(passed: int, n: int) -> None:
    with pytest.raises(ValueError, match="is not a proportion"):
        proportion(passed, n)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_leaves_the_undefined_out() -> None:
    assert holm([0.02, None, 0.03]) == pytest.approx([0.04, None, 0.04])
    assert holm([None]) == [None]
    assert holm([0.7, 0.8]) == [1.0, 1.0]
