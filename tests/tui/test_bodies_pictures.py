"""Pictures of uncompared sides, variants and a dialogue of the second protocol."""

from itertools import count
from pathlib import Path

import pytest

from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from store.database import Database
from tests.second_protocol.material import PROTOCOLS, a_dialogue, fill_tiny
from tests.tui.picturing import Compare, after, each_pictured

ASK = "How do I get from the harbour to the museum when it rains?"
REPLIES = [
    "Take the tram.",
    "Take tram 4 from the harbour.\nIt leaves every ten minutes.",
    "Take tram 4 from the harbour to the museum.\nIt leaves every eight minutes.\nBuy the ticket before.",
    "Take tram 4 from the harbour to the museum, or walk below the arcades.\nBuy the ticket before.",
    "Stay where you are; the museum is closed when it rains.\a",
]
KEYS = {
    "sides": ("first",),
    "dialogue": ("first", "tab", "O"),
    "variants": ("second", "tab", "right_square_bracket", "right_square_bracket"),
    "comment": ("second", "slash", *"eight", "enter", "c"),
}
"""The study, in which the first question is open or the second one, and keys."""


@pytest.fixture
def talks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steady_cursor: None) -> Database:
    monkeypatch.chdir(tmp_path)
    database = Database.open("reviewer.db", protocols=PROTOCOLS)
    turns = [["user", ASK], ["assistant", "On foot, or by tram?"], ["user", "Whatever keeps me dry."]]
    fill_tiny(database, "talks", [a_dialogue(1, "tea", turns=turns, replies=REPLIES)])
    for study in ("first", "second"):
        create_study(database, study, Design(("talks",), None, 1, raters=("anna",)))
    seconds = count(step=20.0)
    ReviewSession(database, "second", "anna", stopwatch=lambda: next(seconds)).answer("tie")
    return database


@each_pictured("keys", KEYS, small_only=("comment",))
def test_bodies(talks: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int]) -> None:
    study, *pressed = keys
    app = ReviewerApp(talks, "anna", study)
    assert snap_compare(app, terminal_size=size, run_before=after(*pressed))
