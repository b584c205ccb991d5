"""A statistic of a report is computed once, however many of its tables, sentences and figures print it."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from reviewer.agreement.coefficient import Coefficient
from reviewer.agreement.pass_rates import PassRule
from reviewer.agreement.ratings import Ratings
from reviewer.core.estimate import Estimate
from reviewer.report import report_statistics
from reviewer.report.study_report import report_files
from reviewer.results.labels import agreement_results
from reviewer.results.labels.agreement_results import Method
from reviewer.study.design.study_bundle import load_study
from store.ledger import Ledger
from tests.judged import judged_study
from tests.studies import open_store

# Cells of 4 questions, 3 generators and 8 groups: question and generator, question, generator, group, all.
_CELLS = 12 + 4 + 3 + 8 + 1
_PAIRS = 3
_LEFT_OUT = 3
"""The raters, each of whom is left out once."""
_OF_THE_STUDY = (
    *("label_rows", "raters_of_study", "pass_rate_differences", "disagreements", "second_verdicts"),
    *("known_answer_accuracy", "study_totals"),
)


def _key(statistic: Coefficient | PassRule) -> str:
    if isinstance(statistic, Coefficient):
        return statistic.key
    return "unanimity" if statistic.unanimous else "majority"


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each coefficient, pass rate, bootstrap and table was computed."""
    counts: Counter[str] = Counter()
    estimate, rate, resample = Coefficient.__call__, PassRule.rate, agreement_results.bootstrap_all

    def counted_estimate(self: Coefficient, ratings: Ratings, level: float = 0.95) -> Estimate:
        counts[self.key] += 1
        return estimate(self, ratings, level)

    def counted_rate(self: PassRule, ratings: Ratings, level: float = 0.95) -> Any:
        counts[_key(self)] += 1
        return rate(self, ratings, level)

    def counted_resample(ratings: Ratings, statistics: Sequence[Any], **named: Any) -> list[Estimate]:
        counts.update(f"bootstrap of {_key(statistic)}" for statistic in statistics)
        return resample(ratings, statistics, **named)

    def counted(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*given: Any, **named: Any) -> Any:
            counts[name] += 1
            return compute(*given, **named)

        return wrapped

    monkeypatch.setattr(Coefficient, "__call__", counted_estimate)
    monkeypatch.setattr(PassRule, "rate", counted_rate)
    monkeypatch.setattr(agreement_results, "bootstrap_all", counted_resample)
    for name in _OF_THE_STUDY:
        monkeypatch.setattr(report_statistics, name, counted(name, getattr(report_statistics, name)))
    return counts


def test_every_statistic_is_computed_once(tmp_path: Path, calls: Counter[str]) -> None:
    database = open_store(tmp_path)
    judged_study(database, per_generator=8)
    statistics = report_statistics.compute_statistics(
        load_study(database, "pilot"),
        Ledger(database).events("pilot"),
        Method(interval="bootstrap", resamples=20),
    )
    assert report_files(statistics, with_figures=False)
    assert {name: calls[name] for name in _OF_THE_STUDY} == dict.fromkeys(_OF_THE_STUDY, 1)
    shown = ("fleiss_kappa", "gwet_ac1", "po_pairwise", "krippendorff_alpha")
    expected = dict.fromkeys(shown, _CELLS + _PAIRS + _LEFT_OUT)
    assert {key: calls[key] for key in shown} == expected
    assert calls["po_all_agree"] == _CELLS + _LEFT_OUT
    assert (calls["majority"], calls["unanimity"]) == (_CELLS + _PAIRS, _CELLS + _PAIRS)
    assert calls["bootstrap of fleiss_kappa"] == _CELLS
    assert calls["bootstrap of majority"] == _CELLS + _PAIRS
