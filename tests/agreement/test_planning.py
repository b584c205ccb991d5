"""Plans reach the width that they promise, and not with one case less."""

import math

import numpy as np
import pytest

from reviewer.agreement.coefficient import COEFFICIENTS
from reviewer.agreement.intervals import student_quantile
from reviewer.agreement.means import mean_of
from reviewer.agreement.proportions import proportion, wilson
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.sample_sizes import imagined_study, plan_more_cases, plan_study
from reviewer.core.estimate import Estimate

ROWS = [[True, True, True]] * 30 + [[True, False, True]] * 6 + [[False, False, False]] * 4


@pytest.mark.parametrize(
    "key", ["fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "conger_kappa", "po_pairwise"]
)
def test_fewest_cases_for_a_coefficient(key: str) -> None:
    estimate = COEFFICIENTS[key](Ratings.from_labels(ROWS, [False, True]))
    plan = plan_more_cases(estimate, 40, 0.1)
    assert plan.cases is not None
    assert estimate.se is not None

    def reach(cases: int) -> float:
        return student_quantile(0.95, cases - 1) * (estimate.se or 0) * math.sqrt(40 / cases)

    assert reach(plan.cases) <= 0.1 < reach(plan.cases - 1)
    assert plan.more == max(0, plan.cases - 40)


def test_fewest_cases_for_a_proportion() -> None:
    plan = plan_more_cases(proportion(36, 40), 40, 0.05)
    assert plan.cases is not None
    passed = round(plan.cases * 0.9)
    assert wilson(passed, plan.cases).half_width == pytest.approx(0.05, abs=0.001)


def test_cases_that_do_not_count_are_planned_for_too() -> None:
    counted = plan_more_cases(proportion(36, 40), 40, 0.05).cases
    half_counted = plan_more_cases(proportion(36, 40), 80, 0.05).cases
    assert counted is not None
    assert half_counted is not None
    assert abs(half_counted - 2 * counted) <= 1


def test_enough_already() -> None:
    assert plan_more_cases(proportion(360, 400), 400, 0.2).more == 0


def test_why_there_is_no_plan() -> None:
    same = Ratings.from_labels([[True, True]] * 9, [False, True])
    assert plan_more_cases(COEFFICIENTS["fleiss_kappa"](same), 9, 0.1).reason == "one category"
    assert plan_more_cases(COEFFICIENTS["gwet_ac1"](same), 9, 0.1).reason == "standard error is 0"
    single = Ratings.from_labels([[True, True]], [False, True])
    assert plan_more_cases(COEFFICIENTS["gwet_ac1"](single), 1, 0.1).reason == "one item"
    assert plan_more_cases(mean_of([proportion(1, 2)]), 2, 0.1).reason == "no standard error"


@pytest.mark.parametrize(
    ("raters", "share", "agreement"), [(3, 0.95, 0.9), (2, 0.5, 0.2), (5, 0.1, 0.7), (3, 0.5, 1.0)]
)
def test_imagined_study_has_the_margins(raters: int, share: float, agreement: float) -> None:
    patterns = imagined_study(raters, share, agreement)
    assert COEFFICIENTS["po_all_agree"].of_patterns(patterns, 0.95).value == pytest.approx(
        agreement, abs=1e-6
    )
    votes = patterns.weights @ patterns.counts
    assert votes[1] / votes.sum() == pytest.approx(share, abs=1e-6)


def test_imagined_study_may_have_lone_dissents_only() -> None:
    """Agreement .9 with every dissent one False among three: Fleiss is -(1 - p)/p."""
    share = 1 - 0.1 / 3
    patterns = imagined_study(3, share, 0.9)
    kappa = COEFFICIENTS["fleiss_kappa"].of_patterns(patterns, 0.95).value
    assert kappa == pytest.approx(-(1 - share) / share, abs=1e-6)


def test_imagined_study_of_raters_by_chance_is_independent() -> None:
    """The margins of independent raters give kappa 0: nothing is assumed beyond them."""
    patterns = imagined_study(3, 0.8, 0.8**3 + 0.2**3)
    assert COEFFICIENTS["fleiss_kappa"].of_patterns(patterns, 0.95).value == pytest.approx(0, abs=1e-6)


def test_plan_holds_in_simulated_studies() -> None:
    coefficient = COEFFICIENTS["gwet_ac1"]
    plan = plan_study(coefficient, raters=3, passing_share=0.9, agreement=0.8, half_width=0.1)
    assert plan.cases == plan.more
    assert plan.cases is not None
    patterns = imagined_study(3, 0.9, 0.8)
    generator = np.random.default_rng(3)
    shares = patterns.weights / patterns.weights.sum()
    values, widths = [], []
    for _ in range(400):
        counts = patterns.counts[generator.choice(len(shares), size=plan.cases, p=shares)]
        estimate = coefficient(Ratings.from_counts(counts, [False, True]))
        assert estimate.value is not None
        assert estimate.se is not None
        values.append(estimate.value)
        widths.append(student_quantile(0.95, plan.cases - 1) * estimate.se)
    assert np.mean(widths) == pytest.approx(0.1, abs=0.01)
    assert np.mean(values) == pytest.approx(plan.value, abs=0.01)


def test_margins_that_exclude_each_other() -> None:
    with pytest.raises(ValueError, match=r"between 3\.3% and 96\.7%, not at 99\.0%"):
        imagined_study(3, 0.99, 0.9)
    with pytest.raises(ValueError, match="two raters"):
        imagined_study(1, 0.9, 0.9)


def test_raters_cannot_be_planned_for() -> None:
    with pytest.raises(ValueError, match="Conger's kappa depends on the single raters"):
        plan_study(COEFFICIENTS["conger_kappa"], raters=3, passing_share=0.9, agreement=0.9, half_width=0.1)


@pytest.mark.parametrize("half_width", [0, 1, -0.1])
def test_impossible_width(half_width: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        plan_more_cases(Estimate(0.5, 10, se=0.1), 10, half_width)
