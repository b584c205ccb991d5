"""A judge's labels and votes against experts', and whether it may replace a rater, beside other formulas."""

import numpy as np
import pytest
from scipy import stats

from reviewer.agreement.judge_labels import confirmed_by_votes, judge_on_label, share_among
from reviewer.agreement.judge_replacement import replacement_test
from reviewer.agreement.proportions import benjamini_yekutieli, proportion
from reviewer.agreement.rating_patterns import Ints
from reviewer.core.estimate import (
    FEW_ITEMS_TO_REPLACE,
    FEW_RATERS_TO_REPLACE,
    NO_DATA,
    NO_SUCH_ITEM,
)

JUDGE = np.array([1] * 40 + [0] * 6 + [1] * 14 + [0] * 20) == 1
EXPERTS = np.array([1] * 46 + [0] * 34) == 1


def test_sensitivity_and_specificity_are_shares_with_wilson_intervals() -> None:
    compared = judge_on_label(JUDGE, EXPERTS)
    table = compared.table
    assert (table.both, table.judge_only, table.experts_only, table.neither) == (40, 14, 6, 20)
    assert compared.sensitivity == proportion(40, 46)
    assert compared.specificity == proportion(20, 34)


def test_bias_is_the_difference_of_margins_with_mcnemars_test() -> None:
    compared = judge_on_label(JUDGE, EXPERTS)
    assert compared.bias.value == pytest.approx(JUDGE.mean() - EXPERTS.mean())
    assert compared.test.p == pytest.approx(stats.binomtest(14, 20).pvalue)
    b, c, n = 14.5, 6.5, 82
    reach = 1.959964 * np.sqrt(b + c - (b - c) ** 2 / n) / n
    assert compared.bias.interval is not None
    assert compared.bias.interval.low == pytest.approx((b - c) / n - reach, abs=1e-6)
    assert compared.bias.interval.high == pytest.approx((b - c) / n + reach, abs=1e-6)


def test_label_that_nobody_gives_has_no_sensitivity() -> None:
    nobody = np.zeros(5, dtype=np.bool_)
    compared = judge_on_label(nobody, nobody)
    assert compared.sensitivity.reason == NO_SUCH_ITEM
    assert compared.specificity.value == 1


def test_equal_items_of_a_case_count_once_for_intervals() -> None:
    alone = judge_on_label(JUDGE, EXPERTS)
    thrice = [np.repeat(column, 3) for column in (JUDGE, EXPERTS)]
    cases = np.repeat(np.arange(len(JUDGE)), 3).tolist()
    clustered = judge_on_label(thrice[0], thrice[1], cases)
    assert clustered.sensitivity.value == alone.sensitivity.value
    for one, other in ((clustered.sensitivity, alone.sensitivity), (clustered.bias, alone.bias)):
        assert one.interval is not None
        assert other.interval is not None
        assert one.interval.half_width == pytest.approx(other.interval.half_width, rel=0.03)
    assert judge_on_label(*thrice).bias.se == pytest.approx((alone.bias.se or 0) / 3**0.5, rel=0.05)


def test_votes_that_experts_confirm_are_counted_by_votes() -> None:
    votes, repeats = np.array([0, 1, 3, 3, 2, 2, 1]), np.array([3, 3, 3, 3, 2, 3, 2])
    confirmed = np.array([False, True, True, False, True, True, False])
    rows = {(row.votes, row.repeats): row.confirmed for row in confirmed_by_votes(votes, repeats, confirmed)}
    assert list(rows) == [(0, 2), (1, 2), (2, 2), (0, 3), (1, 3), (2, 3), (3, 3)]
    assert rows[3, 3] == proportion(1, 2)
    assert rows[0, 3] == proportion(0, 1)
    assert rows[0, 2].reason == NO_DATA


def test_share_among_nothing_has_a_reason() -> None:
    assert share_among(JUDGE, np.zeros(80, dtype=np.bool_), list(range(80))).reason == NO_DATA


def annotations(n: int = 60, raters: int = 4, skill: float = 0.8, judge: float = 0.8) -> tuple[Ints, Ints]:
    generator = np.random.default_rng(7)
    truth = generator.integers(0, 3, n)

    def labels(right: float) -> Ints:
        return np.where(generator.random(n) < right, truth, generator.integers(0, 3, n))

    return labels(judge), np.column_stack([labels(skill) for _ in range(raters)])


def by_loops(judge: Ints, annotators: Ints, left_out: int, epsilon: float) -> tuple[float, float, float]:
    """The shares of wins and the p value, item by item."""
    wins, losses = [], []
    for item, own in enumerate(annotators):
        others = [label for place, label in enumerate(own) if place != left_out and label >= 0]
        if judge[item] < 0 or own[left_out] < 0 or not others:
            continue
        of_judge = sum(label == judge[item] for label in others) / len(others)
        of_own = sum(label == own[left_out] for label in others) / len(others)
        wins.append(float(of_judge >= of_own))
        losses.append(float(of_own >= of_judge))
    p = stats.ttest_1samp(np.array(losses) - np.array(wins), epsilon, alternative="less").pvalue
    return float(np.mean(wins)), float(np.mean(losses)), float(p)


def test_replacement_test_beside_loops_and_other_packages() -> None:
    judge, annotators = annotations()
    annotators[::9, 1], judge[5] = -1, -1
    tested = replacement_test(judge, annotators, "abcd", epsilon=0.1)
    loops = [by_loops(judge, annotators, place, 0.1) for place in range(4)]
    adjusted = stats.false_discovery_control([p for _, _, p in loops], method="by")
    for one, (wins, losses, p), corrected in zip(tested.annotators, loops, adjusted, strict=True):
        assert (one.judge.value, one.annotator.value) == (pytest.approx(wins), pytest.approx(losses))
        assert (one.test.p, one.adjusted) == (pytest.approx(p), pytest.approx(corrected))
    assert tested.winning.value == np.mean(adjusted <= 0.05)


def test_good_judge_passes_and_a_poor_one_does_not() -> None:
    assert replacement_test(*annotations(200, judge=0.95), "abcd").passes is True
    assert replacement_test(*annotations(200, judge=0.2), "abcd").passes is False


def test_replacement_needs_three_raters_and_thirty_items() -> None:
    two = replacement_test(*annotations(raters=2), "ab")
    assert (two.passes, two.winning.reason) == (None, FEW_RATERS_TO_REPLACE)
    few = replacement_test(*annotations(29), "abcd")
    assert (few.passes, few.winning.reason) == (None, FEW_ITEMS_TO_REPLACE)
    assert {one.test.reason for one in few.annotators} == {FEW_ITEMS_TO_REPLACE}
    assert replacement_test(*annotations(30), "abcd").passes is not None


def test_judge_equal_to_a_rater_wins_without_spread() -> None:
    _, annotators = annotations(40)
    same = np.repeat(annotators[:, :1], 4, axis=1)
    tested = replacement_test(same[:, 0], same, "abcd")
    assert [one.test.p for one in tested.annotators] == [0.0] * 4
    assert tested.winning.value == 1


def test_benjamini_yekutieli_leaves_untested_ones_out() -> None:
    adjusted = benjamini_yekutieli([0.01, None, 0.04, 0.03])
    wanted = stats.false_discovery_control([0.01, 0.04, 0.03], method="by")
    assert adjusted[1] is None
    assert [adjusted[0], adjusted[2], adjusted[3]] == pytest.approx(wanted.tolist())


@pytest.mark.slow
def test_interval_of_the_bias_covers() -> None:
    generator, held = np.random.default_rng(2), 0
    for _ in range(1_000):
        experts = generator.random(60) < 0.9
        judge = generator.random(60) < np.where(experts, 0.95, 0.5)
        interval = judge_on_label(judge, experts).bias.interval
        held += interval is not None and interval.low <= 0.005 <= interval.high
    assert 925 <= held <= 985
