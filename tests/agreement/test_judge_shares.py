"""Shares of a dataset from a judge and a draw for experts, beside formulas written down again."""

import math
import re
from statistics import NormalDist

import numpy as np
import pytest

from reviewer.agreement.judge_shares import FourShares, JudgedDataset
from reviewer.agreement.rating_patterns import Ints
from reviewer.agreement.stratified import StratumCounts, stratified_share
from reviewer.core.estimate import (
    NO_BETTER_THAN_CHANCE,
    NO_DATA,
    NO_SUCH_ITEM,
    ONE_CATEGORY,
    STRATUM_WITHOUT_ANSWERS,
    Estimate,
    Interval,
)
from reviewer.manual.manual_pages import manual_page
from reviewer.protocols.base import Value
from reviewer.results.labels.judged_shares import JudgedShare, savings_in_words
from tests.agreement.judge_grid import (
    CORRECTED,
    GREATEST_WIDENING,
    JUDGES,
    LABELS,
    LEAST_COVERAGE,
    SHARES,
    JudgedCell,
    corrected_rows,
    rows,
    width,
)
from tests.studies import PROBE_SWE

Columns = tuple[Ints, Ints, Ints]
"""The judge's labels, whether a case was drawn, and the experts' labels."""


def columns(seed: int = 3, cases: int = 400, drawn: int = 90) -> Columns:
    """A judge that gives the label to 85% of the cases that have it, and to 30% of the others."""
    generator = np.random.default_rng(seed)
    truth = (generator.random(cases) < 0.7).astype(np.int64)
    judge = (generator.random(cases) < np.where(truth == 1, 0.85, 0.3)).astype(np.int64)
    chosen = np.zeros(cases, dtype=np.int64)
    chosen[generator.choice(cases, drawn, replace=False)] = 1
    return judge, chosen, np.where(chosen == 1, truth, -1)


def dataset(of: Columns, strata: Ints | None = None) -> JudgedDataset:
    judge, chosen, experts = of
    places = np.zeros(len(judge), dtype=np.int64) if strata is None else strata
    return JudgedDataset.of_cases(places, judge, chosen == 1, experts)


def ends(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def test_tuned_estimate_is_the_difference_estimate_with_regression() -> None:
    judge, chosen, experts = columns()
    f, y = judge[chosen == 1], experts[chosen == 1]
    tuning = np.cov(f, y)[0, 1] / np.var(f, ddof=1)
    wanted = (tuning * judge).mean() + (y - tuning * f).mean()
    estimate, used = dataset(columns()).tuned()
    assert used == pytest.approx(tuning, abs=1e-12)
    assert estimate.value == pytest.approx(wanted, abs=1e-12)
    assert estimate.n == 90


def test_experts_alone_have_the_interval_of_the_draw() -> None:
    _, _, experts = columns()
    given = int((experts == 1).sum())
    assert dataset(columns()).experts_alone() == stratified_share([StratumCounts(400, 90, 90, 90)], [given])


def test_judge_alone_is_its_share_of_all_cases() -> None:
    judge, chosen, experts = columns()
    judge[chosen == 0] = np.where(np.arange((chosen == 0).sum()) % 10 == 0, -1, judge[chosen == 0])
    alone = dataset((judge, chosen, experts)).judge_alone()
    assert (alone.value, alone.n) == (
        pytest.approx((judge == 1).sum() / (judge >= 0).sum()),
        (judge >= 0).sum(),
    )


def test_corrected_share_beside_its_formulas() -> None:
    judge, chosen, experts = columns()
    f, y, z = judge[chosen == 1], experts[chosen == 1], NormalDist().inv_cdf(0.975)
    se, sp, n_se, n_sp = f[y == 1].mean(), 1 - f[y == 0].mean(), (y == 1).sum(), (y == 0).sum()
    value = (judge.mean() + sp - 1) / (se + sp - 1)
    n = len(judge) + z**2
    p = (judge.sum() + z**2 / 2) / n
    se, sp = (n_se * se + 1) / (n_se + 2), (n_sp * sp + 1) / (n_sp + 2)
    centre = (p + sp - 1) / (se + sp - 1)
    of_se, of_sp = se * (1 - se) / (n_se + 2), sp * (1 - sp) / (n_sp + 2)
    shift = 2 * z**2 * (centre * of_se - (1 - centre) * of_sp)
    reach = z / (se + sp - 1) * math.sqrt(p * (1 - p) / n + centre**2 * of_se + (1 - centre) ** 2 * of_sp)
    corrected = dataset(columns()).corrected()
    assert corrected.value == pytest.approx(value)
    assert ends(corrected) == pytest.approx((centre + shift - reach, min(1.0, centre + shift + reach)))


@pytest.mark.parametrize("rejected", [1, 2])
def test_corrected_share_of_a_judge_hardly_better_than_chance_is_anything(rejected: int) -> None:
    """One case has the label. With a hit and a miss more, sensitivity and specificity sum up to 1 or less."""
    found = JudgedDataset(
        np.array([[30, 70, 0]]), np.array([[rejected, 8 - rejected, 0]]), np.array([[0, 1, 0]]), np.array([8])
    )
    estimate = found.corrected()
    assert estimate.value is not None
    assert ends(estimate) == (0.0, 1.0)


def test_saved_labels_are_the_squared_correlation() -> None:
    judge, chosen, experts = columns()
    correlation = np.corrcoef(judge[chosen == 1], experts[chosen == 1])[0, 1]
    saved = dataset(columns()).saved(seed=1, resamples=2_000)
    assert saved.value == pytest.approx(1 - (1 - correlation**2) * 89 / 88)
    low, high = ends(saved)
    assert 0 < low < correlation**2 < high < 1


def test_judge_that_guesses_saves_no_labels() -> None:
    judge, chosen, experts = columns()
    guessed = np.random.default_rng(8).integers(0, 2, len(judge))
    shares = dataset((guessed, chosen, experts)).shares(seed=1, resamples=2_000)
    assert shares.saves_labels is False
    assert dataset((judge, chosen, experts)).shares(seed=1, resamples=2_000).saves_labels is True


def test_judge_against_the_experts_changes_nothing_and_cannot_be_corrected() -> None:
    judge, chosen, experts = columns()
    opposed = dataset((1 - judge, chosen, experts))
    assert opposed.tuned() == (opposed.experts_alone(), 0.0)
    assert opposed.corrected().reason == NO_BETTER_THAN_CHANCE


def test_as_many_labels_more_halve_the_interval() -> None:
    of = columns(cases=40_000)
    more = dataset(of).shares(seed=1, resamples=100).more
    assert more is not None
    wide, narrow = (ends(dataset(columns(cases=40_000, drawn=n)).tuned()[0]) for n in (90, 90 + more))
    assert narrow[1] - narrow[0] == pytest.approx((wide[1] - wide[0]) / 2, rel=0.1)


def test_few_labels_are_marked_and_none_have_a_reason() -> None:
    few = dataset(columns(drawn=29)).shares(seed=1, resamples=100)
    assert {few.experts.too_few, few.tuned.too_few, few.corrected.too_few} == {"too few labels"}
    assert not dataset(columns(drawn=30)).shares(seed=1, resamples=100).tuned.too_few
    judge, chosen, experts = columns()
    nothing = dataset((judge, chosen, np.full_like(experts, -1))).shares(seed=1, resamples=100)
    assert {nothing.experts.reason, nothing.tuned.reason, nothing.corrected.reason} == {NO_DATA}
    assert nothing.saved.reason == NO_DATA


def test_labels_all_alike_have_no_specificity_and_save_nothing_known() -> None:
    judge, chosen, _ = columns()
    alike = dataset((judge, chosen, np.where(chosen == 1, 1, -1))).shares(seed=1, resamples=100)
    assert (alike.corrected.reason, alike.saved.reason) == (NO_SUCH_ITEM, ONE_CATEGORY)
    assert alike.tuned == alike.experts


def test_stratum_without_labels_has_no_share() -> None:
    judge, chosen, experts = columns()
    strata = np.arange(len(judge)) % 2
    experts[strata == 1] = -1
    assert dataset((judge, chosen, experts), strata).tuned()[0].reason == STRATUM_WITHOUT_ANSWERS


def test_strata_are_weighted_by_their_cases() -> None:
    judge, _, _ = columns()
    strata = (np.arange(400) >= 300).astype(np.int64)
    chosen = np.isin(np.arange(400), [*range(60), *range(300, 360)]).astype(np.int64)
    truth = np.where(strata == 1, np.arange(400) % 4 == 0, np.arange(400) % 8 != 0).astype(np.int64)
    weighted = dataset((judge, chosen, np.where(chosen == 1, truth, -1)), strata)
    share = 0.75 * truth[:60].mean() + 0.25 * truth[300:360].mean()
    assert weighted.experts_alone().value == pytest.approx(share)
    by_judge = sum(
        (among := (strata == stratum) & (judge == label)).mean() * truth[among & (chosen == 1)].mean()
        for stratum in (0, 1)
        for label in (0, 1)
    )
    estimate, tuning = weighted.tuned()
    assert estimate.value == pytest.approx(by_judge if tuning else share)


def test_small_strata_with_similar_weights_are_divided_together() -> None:
    judge, chosen, experts = columns(drawn=40)
    order = np.argsort(1 - chosen, kind="stable")
    strata = np.empty(400, dtype=np.int64)
    strata[order] = np.arange(400) % 10
    small = dataset((judge, chosen, experts), strata)
    assert small.counted.sum(axis=1).tolist() == [4] * 10
    estimate, tuning = small.tuned()
    assert tuning > 0
    assert estimate.value != small.experts_alone().value
    cells = [truth := experts[(judge == label) & (chosen == 1)].mean() for label in (0, 1)]
    assert 0 < truth < 1
    assert estimate.value == pytest.approx((1 - judge.mean()) * cells[0] + judge.mean() * cells[1])


def test_bad_arrays_are_refused() -> None:
    judge, chosen, experts = columns()
    with pytest.raises(ValueError, match="not drawn"):
        dataset((judge, 0 * chosen, experts))
    with pytest.raises(ValueError, match="labels are"):
        dataset((judge + 1, chosen, experts))
    with pytest.raises(ValueError, match="each case needs"):
        dataset((judge[1:], chosen, experts))


def test_grid_has_the_intervals_of_the_engine() -> None:
    for judge in JUDGES:
        cell = JudgedCell(0.9, 60, judge)
        draws = cell.drawn_often(4)
        low, high = draws.tuned()
        for place, drawn in enumerate(draws.drawn):
            sizes = np.array([[*cell.table.sum(axis=1), 0]])
            counted = np.array([[*drawn.sum(axis=1), 0]])
            given = np.array([[*drawn[:, 1], 0]])
            tuned, _ = JudgedDataset(sizes, counted, given, np.array([60])).tuned()
            assert ends(tuned) == pytest.approx((low[place], high[place]))


@pytest.mark.slow
@pytest.mark.parametrize("share", SHARES)
def test_interval_covers_and_is_not_wider_than_that_of_experts_alone(share: float) -> None:
    for labels in LABELS:
        for judge in JUDGES:
            draws = JudgedCell(share, labels, judge).drawn_often()
            tuned = draws.tuned()
            assert draws.coverage(tuned) >= LEAST_COVERAGE, (labels, judge)
            assert width(tuned) <= GREATEST_WIDENING * width(draws.experts_alone()), (labels, judge)


@pytest.mark.slow
def test_four_shares_behave_as_theory_says() -> None:
    """The judge alone is off by what it errs; the others are not, and the tuned one varies least."""
    generator, truth_share = np.random.default_rng(5), 0.7
    truth = (np.arange(4_000) < 4_000 * truth_share).astype(np.int64)
    judge = (generator.random(4_000) < np.where(truth == 1, 0.9, 0.4)).astype(np.int64)
    values = []
    for _ in range(300):
        chosen = np.zeros(4_000, dtype=np.int64)
        chosen[generator.choice(4_000, 120, replace=False)] = 1
        drawn = dataset((judge, chosen, np.where(chosen == 1, truth, -1)))
        values.append([drawn.experts_alone().value, drawn.corrected().value, drawn.tuned()[0].value])
    table = np.array(values, dtype=np.float64)
    assert judge.mean() == pytest.approx(0.9 * 0.7 + 0.4 * 0.3, abs=0.02)
    assert table.mean(axis=0) == pytest.approx([truth_share] * 3, abs=0.012)
    correlation = np.corrcoef(judge, truth)[0, 1]
    ratio = table[:, 2].var() / table[:, 0].var()
    assert ratio == pytest.approx(1 - correlation**2, abs=0.15)
    assert table[:, 1].std() > table[:, 2].std()


@pytest.mark.slow
def test_manual_has_the_table_of_the_grid() -> None:
    assert [row for row in rows() if row not in manual_page("judges").text.splitlines()] == []


@pytest.mark.slow
def test_manual_has_the_table_of_corrected_shares() -> None:
    assert [row for row in corrected_rows() if row not in manual_page("judges").text.splitlines()] == []


def test_table_of_corrected_shares_has_every_cell() -> None:
    cells = re.findall(r"\| (\d+\.\d), \.\d{3}, \d+\.\d(?= \|)", manual_page("judges").text)
    assert len(cells) == len(SHARES) * len(LABELS) * len(CORRECTED)
    assert min(map(float, cells)) >= 100 * LEAST_COVERAGE


def test_table_of_the_manual_has_every_cell() -> None:
    cells = re.findall(r"\| (\d+\.\d), \.\d{3}(?= \|)", manual_page("judges").text)
    assert len(cells) == len(SHARES) * len(LABELS) * (len(JUDGES) + 1)
    assert min(map(float, cells)) >= 100 * LEAST_COVERAGE


@pytest.mark.parametrize(
    ("low", "high", "sentence"),
    [
        (0.1, 0.4, "this judge saves 20% of the labels (10% to 40%)."),
        (0.0, 0.4, "it is not shown that this judge saves labels: 20% (0% to 40%)."),
        (0.0, 0.0, "this judge saves no labels."),
    ],
)
def test_a_judge_is_said_to_save_no_labels_only_where_this_is_known(
    low: float, high: float, sentence: str
) -> None:
    saved = Estimate(0.2 if high else 0.0, 50, interval=Interval(low, high, 0.95, "bootstrap"))
    other = Estimate(0.5, 50)
    shares = FourShares(other, other, other, other, 0.5, saved, None)
    question = PROBE_SWE.questions[0]
    judged = JudgedShare(Value("choice", question.key), question, {}, question.labels[0], 50, 50, shares)
    (told,) = savings_in_words([judged])
    assert told.endswith(f"= {question.labels[0]}: {sentence}")
