"""Themes are counted by whole words and beginnings, in both versions of each case."""

from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.evaluated import read_evaluation
from reviewer.results.outcomes.theme_counts import theme_counts
from reviewer.study.design.study_questions import Theme
from store.database import Database
from tests.answered_runs import an_answered_run


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """The biased text of every second case is answered with speed, all unbiased ones with safety."""

    def reply(model: str, case: int, version: str, repeat: int) -> str:
        reason = "Quickest wins" if version == "biased" and case % 2 else "A safe choice, and unsafe is bad"
        return f"Explanation: {reason}.\nDecision: Option A"

    database = Database.open(str(tmp_path / "reviewer.db"))
    an_answered_run(database, replying=reply)
    return database


def test_words_are_whole_and_beginnings_are_marked(database: Database) -> None:
    evaluation = read_evaluation(database, protocols_of(database), "first")
    themes = (Theme("speed", "", ("quick*",)), Theme("safety", "", ("safe",)), Theme("harm", "", ("unsa",)))
    chosen = {("speed", "all"): Estimate(0.5, 4)}
    rows = {(r.theme.name, r.group): r for r in theme_counts(database, evaluation, themes, chosen)}
    assert rows["speed", "all"].versions == ("unbiased", "biased")
    values = {key: tuple(share.value for share in row.shares) for key, row in rows.items()}
    assert values["speed", "all"] == (0, 0.5)
    assert values["speed", "hyperbolic discounting"] == (0, 1)
    assert values["safety", "all"] == (1, 0.5)
    assert values["harm", "all"] == (0, 0)
    assert rows["speed", "all"].difference.value == 0.5
    interval = rows["speed", "all"].difference.interval
    assert interval is not None
    assert 0 < interval.low < 0.5 < interval.high < 1
    assert rows["speed", "all"].chosen == Estimate(0.5, 4)
    assert rows["safety", "all"].chosen is None


def test_a_theme_without_words_is_refused(database: Database) -> None:
    evaluation = read_evaluation(database, protocols_of(database), "first")
    with pytest.raises(RequestError, match="theme speed has no words to count"):
        theme_counts(database, evaluation, (Theme("speed", ""),), {})
