"""The interval that holds at every look, and what stopping by it costs."""

import numpy as np
import pytest
from scipy.stats import hypergeom

from reviewer.agreement.confidence_sequence import ConfidenceSequence, fewest_passing
from reviewer.agreement.proportions import all_wilson_ends
from reviewer.agreement.stop_planning import fixed_cases, plan_stops, stopping_times


def test_ends_are_those_of_bayes_rule() -> None:
    size, seen, passed = 60, 25, 22
    numbers = np.arange(size + 1)
    likelihood = hypergeom.pmf(passed, size, numbers, seen)
    posterior = likelihood / likelihood.sum()
    possible = numbers[posterior * (size + 1) > 0.05]
    assert ConfidenceSequence(size, seen, passed).ends == (possible[0] / size, possible[-1] / size)


def test_all_cases_leave_no_doubt_and_none_leaves_all() -> None:
    assert ConfidenceSequence(40, 40, 30).ends == (0.75, 0.75)
    assert ConfidenceSequence(40, 0, 0).ends == (0.0, 1.0)
    assert ConfidenceSequence(40, 0, 0).estimate.value is None
    with pytest.raises(ValueError, match="at most all cases"):
        ConfidenceSequence(40, 41, 3)


def test_fewest_passing_is_where_the_claim_begins() -> None:
    for seen, fewest in enumerate(fewest_passing(300, 120, 0.9), 1):
        may = [passed for passed in range(seen + 1) if ConfidenceSequence(300, seen, passed).is_above(0.9)]
        assert (may[0] if may else None) == fewest


def test_fixed_number_of_cases_that_has_a_power_of_four_fifths() -> None:
    assert fixed_cases(0.9, 0.97, 0.95, 400) == 99
    assert fixed_cases(0.9, 0.9, 0.95, 50) is None


@pytest.mark.slow
def test_price_of_stopping_beside_a_fixed_design() -> None:
    (plan,) = plan_stops(0.9, [0.97], 10_000)
    assert plan.median == pytest.approx(154, abs=4)
    assert plan.ninth_decile == pytest.approx(268, abs=10)
    assert plan.fixed == 99


@pytest.mark.slow
@pytest.mark.parametrize(("cases", "usual"), [(40, 0.03), (200, 0.10), (400, 0.135)])
def test_false_claims_by_any_look(cases: int, usual: float) -> None:
    """With the true rate at the limit: at most 5% by the sequence, and far more by looking at Wilson's."""
    size, studies = 4_000, 4_000
    needed = np.array([np.inf if n is None else n for n in fewest_passing(size, cases, 0.9)])
    assert (stopping_times(0.9, size, needed, np.random.default_rng(1), studies) > 0).mean() < 0.05
    wilson = np.array([_fewest_by_wilson(seen) for seen in range(1, cases + 1)])
    by_looking = (stopping_times(0.9, size, wilson, np.random.default_rng(2), studies) > 0).mean()
    assert by_looking == pytest.approx(usual, abs=0.02)


def _fewest_by_wilson(seen: int) -> float:
    low, _ = all_wilson_ends(np.arange(seen + 1) / seen, seen, 0.95)
    able = np.flatnonzero(low > 0.9)
    return float(able[0]) if len(able) else np.inf


@pytest.mark.slow
@pytest.mark.parametrize("late", [0, 60])
def test_third_votes_that_come_late_make_no_more_false_claims(late: int) -> None:
    """1,000 studies at the limit: the count waits for each disputed case, so it is a beginning of the order.

    Taking cases as they get complete selects the undisputed ones, which pass more often.
    """
    random, size, cases = np.random.default_rng(3), 1_000, 400
    needed = np.array([np.inf if n is None else n for n in fewest_passing(size, cases, 0.9)])
    false, selected = 0, 0
    for _ in range(1_000):
        passes = random.permutation(size)[:cases] < 0.9 * size
        disputed = random.random(cases) < np.where(passes, 0.15, 0.8)
        ready = np.arange(cases) + late * disputed
        false += _claims(passes, ready, needed, waits=True)
        selected += _claims(passes, ready, needed, waits=False)
    assert false / 1_000 < 0.05
    if late:
        assert selected > 4 * false


def _claims(passes: np.ndarray, ready: np.ndarray, needed: np.ndarray, *, waits: bool) -> bool:
    """Whether any look claims: at the longest complete beginning, or else at what is complete."""
    for now in range(len(passes)):
        done = ready <= now
        if waits:
            seen = len(passes) if done.all() else int(np.argmin(done))
            passed = passes[:seen].sum()
        else:
            seen, passed = int(done.sum()), passes[done].sum()
        if seen and passed >= needed[seen - 1]:
            return True
    return False
