"""A question whose labels are letters of options: each case offers as many as it has."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.closing import close_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.cli.conftest import Run

TEXT = """\
[protocol]
name = "choice"
version = 1
title = "Multiple choice"

[fields]
stem = "stem"
options = { column = "options", type = "list" }

[source]
key = "{id}"

[pane.item]
fields = ["stem", "options"]
lettered = true

[question.verdict]
prompt = "Which option is right?"
options = "options"
labels = ["A", "B", "C", "D"]
shows = "item"
"""
ROWS = [
    {"id": "three", "stem": "Which?", "options": ["x", "y", "z"]},
    {"id": "four", "stem": "Which?", "options": ["v", "w", "x", "y"]},
]
OFFERED = {"three": ("A", "B", "C"), "four": ("A", "B", "C", "D")}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    (tmp_path / "d.toml").write_text(TEXT)
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as opened:
        import_path(opened, tmp_path / "rows.jsonl", "d", protocol=str(tmp_path / "d.toml"))
        create_study(opened, "pilot", Design(("d",), None, 7))
        yield opened


def test_raters_are_offered_the_options_of_the_case(database: Database, run: Run) -> None:
    session = ReviewSession(database, "pilot", "anna")
    offered = {}
    while not session.finished:
        offered[session.bundle.places[session.case.digest].key] = session.question.labels
        session.answer("A")
    assert offered == OFFERED


def test_adjudicators_are_offered_the_options_of_the_case(database: Database) -> None:
    for rater, answer in (("anna", "A"), ("ben", "B")):
        session = ReviewSession(database, "pilot", rater)
        while not session.finished:
            session.answer(answer)
    close_study(database, "pilot", "kim")
    decides = AdjudicationSession(database, "pilot", "zoe")
    offered = {}
    for at in range(2):
        decides.go_to(at)
        offered[decides.place_at(at).key] = decides.question.labels
    assert offered == OFFERED
    decides.go_to([*offered].index("three"))
    with pytest.raises(RequestError, match="this case has no option D; its options are A to C"):
        decides.decide("D", "why not")
