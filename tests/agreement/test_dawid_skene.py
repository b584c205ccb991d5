"""Dawid and Skene's model, against a computation of its own and against raters whose errors are known."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pytest

from reviewer.agreement.dawid_skene import NO_LABELS, NO_SUCH_ITEM, NOT_CONVERGED, label_model
from reviewer.agreement.ratings import Ratings

Rows = list[list[str | None]]


def answered(errors: Sequence[float], cases: int, seed: int, passing: float = 0.7) -> tuple[Rows, list[str]]:
    """Labels of raters who err at these rates, and the true labels."""
    random = np.random.default_rng(seed)
    truth = random.random(cases) < passing
    wrong = random.random((cases, len(errors))) < np.array(errors)
    given = truth[:, None] ^ wrong
    return [[str(bool(label)) for label in row] for row in given], [str(bool(label)) for label in truth]


def ratings(rows: Rows, categories: Sequence[str] = ("True", "False")) -> Ratings:
    return Ratings.from_labels(rows, categories)


def by_loops(rows: Rows, categories: Sequence[str], steps: int) -> tuple[list[dict[str, float]], dict]:  # type: ignore[type-arg]
    """The same model item by item, rater by rater, as the paper writes it."""
    given = [{rater: label for rater, label in enumerate(row) if label is not None} for row in rows]
    truth = [{k: [*votes.values()].count(k) / len(votes) for k in categories} for votes in given]
    errors: dict[tuple[int, str, str], float] = {}
    for _ in range(steps):
        shares = {k: sum(one[k] for one in truth) / len(rows) for k in categories}
        tally: dict[tuple[int, str, str], float] = defaultdict(float)
        for one, votes in zip(truth, given, strict=True):
            for rater, label in votes.items():
                for k in categories:
                    tally[rater, k, label] += one[k]
        errors = {
            (rater, k, label): number / sum(tally[rater, k, other] for other in categories)
            for (rater, k, label), number in tally.items()
        }
        for at, votes in enumerate(given):
            odds = dict(shares)
            for rater, label in votes.items():
                odds = {k: odds[k] * errors[rater, k, label] for k in categories}
            truth[at] = {k: odds[k] / sum(odds.values()) for k in categories}
    return truth, errors


@pytest.mark.parametrize("categories", [("True", "False"), ("good", "fair", "bad")])
def test_labels_and_errors_are_those_of_a_computation_by_loops(categories: tuple[str, ...]) -> None:
    random = np.random.default_rng(5)
    rows: Rows = []
    for _ in range(60):
        true = random.choice(categories)
        row = [str(true if random.random() < 0.8 else random.choice(categories)) for _ in range(5)]
        rows.append([None if random.random() < 0.2 else label for label in row])
    rows = [row for row in rows if any(row)]
    model = label_model(ratings(rows, categories))
    assert model.converged
    truth, errors = by_loops(rows, categories, 300)
    expected = np.array([[one[k] for k in categories] for one in truth])
    assert model.probabilities == pytest.approx(expected, abs=1e-3)
    for (rater, true, given), rate in errors.items():
        at = rater, categories.index(true), categories.index(given)
        assert model.errors[at] == pytest.approx(rate, abs=1e-3)
    passing = categories[:-1]
    last = categories[-1]
    specific = model.rater_errors(passing, seed=1, resamples=0)[0].specificity
    assert specific.value == pytest.approx(errors[0, last, last], abs=1e-3)


def test_a_careless_rater_is_found_and_intervals_hold_the_true_rates() -> None:
    rows, truth = answered([0.1] * 5 + [0.4], 400, 3)
    model = label_model(ratings(rows))
    raters = model.rater_errors(("True",), seed=1, resamples=200)
    for rater, error in zip(raters, [0.1] * 5 + [0.4], strict=True):
        for estimate in (rater.sensitivity, rater.specificity):
            assert estimate.interval is not None
            assert estimate.interval.low - 0.03 < 1 - error < estimate.interval.high + 0.03
    assert raters[-1].sensitivity.interval is not None
    assert raters[-1].sensitivity.interval.high < min(r.sensitivity.value or 0 for r in raters[:-1])
    found = [model.label_of(at) for at in range(len(rows))]
    assert sum(one is not None and one[0] == true for one, true in zip(found, truth, strict=True)) > 380
    again = label_model(ratings(rows)).rater_errors(("True",), seed=1, resamples=200)
    assert again == raters


def test_what_cannot_be_known_has_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: Rows = [["True"] * 5 for _ in range(50)]
    model = label_model(ratings(rows))
    assert model.label_of(0) == ("True", pytest.approx(1.0))
    first = model.rater_errors(("True",), seed=1, resamples=10)[0]
    assert (first.sensitivity.value, first.specificity.reason) == (1.0, NO_SUCH_ITEM)
    silent = label_model(ratings([[*row, None] for row in rows])).rater_errors(("True",), seed=1, resamples=0)
    assert silent[-1].sensitivity.reason == NO_LABELS
    assert label_model(ratings([[None] * 5, *rows])).label_of(0) is None
    monkeypatch.setattr("reviewer.agreement.dawid_skene.MOST_STEPS", 1)
    short = label_model(ratings(answered([0.3] * 5, 60, 1)[0]))
    assert (short.converged, short.label_of(0)) == (False, None)
    assert short.rater_errors(("True",), seed=1)[0].sensitivity.reason == NOT_CONVERGED


def found_in(studies: int, others: int, cases: int = 100) -> float:
    """In how many of many studies the rater who errs in .4 has the greatest estimated error."""
    found = 0
    for study in range(studies):
        rows, _ = answered([0.4] + [0.1] * others, cases, study)
        model = label_model(ratings(rows))
        right = [
            sum(model.shares[k] * model.errors[rater, k, k] for k in range(2)) for rater in range(others + 1)
        ]
        found += int(np.argmin(right)) == 0
    return found / studies


def test_careless_raters_are_found_in_small_studies() -> None:
    assert found_in(40, 4) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("others", [4, 5])
def test_careless_raters_are_found_in_95_percent_of_studies(others: int) -> None:
    assert found_in(1_000, others) >= 0.95
